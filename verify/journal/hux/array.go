package hux

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"

	"github.com/go-json-experiment/json/jsontext"

	"finishline/verify"
	"finishline/verify/journal/flat"
	"finishline/verify/journal/lines"
)

const (
	// sniffBytes is how far the first byte of a file that is no white space is
	// looked for. A file with more before it is read as lines.
	sniffBytes = 64 << 10
	// MaxElement is the largest event of an array file that is judged, in
	// bytes; a larger one is a *[LimitError].
	MaxElement = 8 << 20
)

var bom = []byte{0xEF, 0xBB, 0xBF}

// startsArray looks for [ as the first byte that is no white space.
func startsArray(input *bufio.Reader) bool {
	head, _ := input.Peek(len(bom))
	skip := 0
	if bytes.HasPrefix(head, bom) {
		skip = len(bom)
	}
	for n := skip + 1; n <= sniffBytes; n++ {
		head, err := input.Peek(n)
		if err != nil {
			return false // the reader of lines meets the same end, or the same error
		}
		switch head[n-1] {
		case ' ', '\t', '\r', '\n':
		default:
			return head[n-1] == '['
		}
	}
	return false
}

// array judges a file that starts with [. It is one JSON array, or else lines.
func (v *verifier) array(ctx context.Context, input io.Reader) (lines.Summary, error) {
	data, err := io.ReadAll(io.LimitReader(input, MaxArray+1))
	if err != nil {
		return lines.Summary{}, err
	}
	o := v.options.Lines
	if len(data) > MaxArray {
		return v.tooLong(io.MultiReader(bytes.NewReader(data), input))
	}
	text, hasBOM := bytes.CutPrefix(data, bom)
	worst, err := v.elements(ctx, text, nil)
	if err != nil {
		return lines.Summary{}, err
	}
	if worst == nil {
		return v.asLines(ctx, bytes.NewReader(data))
	}
	if o.Tee != nil {
		if _, err := o.Tee.Write(data); err != nil {
			return lines.Summary{}, err
		}
	}
	sum := lines.Summary{Lines: worst.count, Bytes: int64(len(data)), BOM: hasBOM}
	if worst.Code != flat.OK {
		v.wholeText(worst)
		return sum, nil
	}
	w := newWorker(v.options)
	_, err = v.elements(ctx, text, func(list []lines.Line) error {
		var b batch
		w.batch(list, &b)
		return v.deliver(list, &b)
	})
	return sum, err
}

// tooLong refuses a file that is longer than an array may be.
func (v *verifier) tooLong(all io.Reader) (lines.Summary, error) {
	var tee io.Writer = io.Discard
	if v.options.Lines.Tee != nil {
		tee = v.options.Lines.Tee
	}
	n, err := io.Copy(tee, all)
	v.lines.Add("hux.line.too-long", verify.AtLine(v.options.Name, 1), verify.What{
		Found: "a file of " + sizeText(n) + " that starts with [", Expected: fmt.Sprintf("an array of at most %d bytes, or an event on each line", MaxArray)})
	return lines.Summary{Lines: 1, Bytes: n}, err
}

// A worst problem of an array, as one text (§1), and of which element.
type worst struct {
	flat.Problem
	element int
	count   int // elements
}

// wholeText reports the one problem of an array file that its text has.
func (v *verifier) wholeText(x *worst) {
	rule := lineRuleOf[x.Code]
	what := problemText(rule, x.Problem)
	v.lines.Add(rule, verify.Place{Artifact: v.options.Name, Pointer: fmt.Sprintf("/%d", x.element), Line: 1},
		verify.What{Found: fmt.Sprintf("in element %d of the array: %s", x.element+1, what.Found), Expected: what.Expected})
}

// elements walks the elements of a text that is one JSON array. It gives nil
// when the text is something else. Without judge it looks for the worst problem
// of the text, else it hands the elements over as lines.
func (v *verifier) elements(ctx context.Context, text []byte, judge func([]lines.Line) error) (*worst, error) {
	d := jsontext.NewDecoder(bytes.NewBuffer(text), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if _, err := d.ReadToken(); err != nil {
		return nil, nil
	}
	found := &worst{}
	var parser flat.Parser
	var list []lines.Line
	for d.PeekKind() != ']' {
		raw, err := d.ReadValue()
		if err != nil {
			return nil, nil
		}
		if len(raw) > MaxElement {
			return nil, &LimitError{"bytes of one event", MaxElement}
		}
		end := d.InputOffset()
		if judge == nil {
			if p := parser.Parse(raw, MaxDepth); p.Code != flat.OK && (found.Code == flat.OK || p.Code < found.Code) {
				found.Problem, found.element = p, found.count
			}
		} else {
			start := end - int64(len(raw))
			list = append(list, lines.Line{Text: text[start:end], Number: found.count + 1, Offset: start, Size: int64(len(raw)), Terminated: true})
			if len(list) == arrayBatch {
				if err := judgeAll(ctx, &list, judge); err != nil {
					return nil, err
				}
			}
		}
		found.count++
	}
	if _, err := d.ReadToken(); err != nil {
		return nil, nil
	}
	if _, err := d.ReadToken(); err != io.EOF {
		return nil, nil
	}
	if judge != nil && len(list) > 0 {
		return found, judgeAll(ctx, &list, judge)
	}
	return found, ctx.Err()
}

// arrayBatch is how many elements are judged at once.
const arrayBatch = 256

func judgeAll(ctx context.Context, list *[]lines.Line, judge func([]lines.Line) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	err := judge(*list)
	*list = (*list)[:0]
	return err
}
