package privacy

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"finishline/verify"
)

// The lines of a source tree, of logs, and of a report full of findings.
func BenchmarkRead(b *testing.B) {
	for name, text := range map[string]string{
		"source":   "func (r *Root) Resolve(path string, need Existence) (Resolved, *PathError) { // a comment\n\tif err := Portable(path); err != nil {\n",
		"log":      "2026-11-30T16:30:25Z info finished step 12 of 40 in 3.2s, see https://ci.example.org/build/12 for more\n",
		"words":    "the token of the author is kept: the key secret is not, auth: required\n",
		"findings": address + " " + hubToken + "\n",
	} {
		data := []byte(strings.Repeat(text, 1<<20/len(text)))
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			buf := make([]byte, blockSize)
			for b.Loop() {
				s := newScanner(Options{Level: verify.Base}, nil)
				r := s.reader("a.txt")
				r.maxSize = MaxFile
				if _, err := r.read(context.Background(), bytes.NewReader(data), buf); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
