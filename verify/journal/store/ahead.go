package store

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash"
	"io"
)

// aheadPieces is how many pieces of a file an ahead holds at once.
const aheadPieces = 3

// An ahead reads a file in pieces on a goroutine of its own, ahead of who looks
// at them, and hashes all it reads.
type ahead struct {
	pieces  chan []byte // in order; closed when nothing more comes
	free    chan []byte
	current []byte

	// These are for after the last piece.
	sum  hash.Hash
	size int64
	err  error // of the file, nil at its end
}

// readAhead starts to read pieces of so many bytes. Whoever starts one closes it.
func readAhead(file io.Reader, pieceBytes int) *ahead {
	a := &ahead{pieces: make(chan []byte, aheadPieces), free: make(chan []byte, aheadPieces), sum: sha256.New()}
	for range aheadPieces {
		a.free <- make([]byte, pieceBytes)
	}
	go a.read(file)
	return a
}

func (a *ahead) read(file io.Reader) {
	defer close(a.pieces)
	for buf := range a.free {
		n, err := io.ReadFull(file, buf)
		a.sum.Write(buf[:n])
		a.size += int64(n)
		if n > 0 {
			a.pieces <- buf[:n] // never blocks: there are no more pieces than places
		}
		if err != nil {
			if !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
				a.err = err
			}
			return
		}
	}
}

// next is the piece after the one before, which is given back: it is read over.
// It returns nil when nothing more comes.
func (a *ahead) next() []byte {
	if a.current != nil {
		a.free <- a.current[:cap(a.current)]
	}
	a.current = <-a.pieces
	return a.current
}

// sha256 is the digest of the file once there are no more pieces.
func (a *ahead) sha256() string { return hex.EncodeToString(a.sum.Sum(nil)) }

// close ends the reading, and returns when it has ended.
func (a *ahead) close() {
	close(a.free)
	for range a.pieces {
	}
}
