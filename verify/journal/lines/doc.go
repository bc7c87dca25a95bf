// Package lines is the one reader of lines for all journals. It knows no
// journal format: it splits a stream of bytes at LF, and says of every line
// where it lay and what was odd about it. What a byte order mark, a carriage
// return, a blank line or bytes that are not UTF-8 mean is the contract's of
// each journal.
//
// There are two ways in:
//
//	r := lines.NewReader(file, lines.Options{MaxLine: 1 << 20})
//	for {
//		line, err := r.Next()
//		if err == io.EOF {
//			break // r.Summary() says what was read
//		}
//		...
//	}
//
// reads one line after another, and [Process] parses lines on all cores and
// hands the results over strictly in order:
//
//	sum, err := lines.Process(ctx, file, lines.Options{MaxLine: 1 << 20}, lines.Stages[result]{
//		Worker: func() func([]lines.Line, *result) {
//			var p parser // scratch of one worker
//			return func(batch []lines.Line, out *result) { out.reset(); p.parse(batch, out) }
//		},
//		Deliver: func(batch []lines.Line, out *result) error { return state.add(batch, out) },
//	})
//
// Promises:
//
//   - Memory does not depend on the length of the stream. A line longer than
//     MaxLine is not kept: its length is counted, and the first [Peek] bytes of
//     it are shown. Process keeps at most 2*workers+2 batches, each of about
//     [BatchBytes] bytes and at most [BatchLines] lines, or of one longer line.
//   - Lines, numbers and offsets do not depend on the number of workers, nor on
//     how the stream is cut into reads. Deliver sees every line once, in order,
//     on the goroutine that called Process.
//   - Nothing is lost: an error of the stream is returned after every whole
//     line before it was delivered, and is never taken for its end.
//
// The bytes after the last LF are the tail: a [Line] that is not Terminated.
// Whether a tail is a torn append or a record is for the caller to say. A byte
// order mark at the start of the stream is no part of the first line; the
// [Summary] tells that there was one.
package lines
