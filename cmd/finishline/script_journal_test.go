package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"

	"github.com/rogpeppe/go-internal/testscript"

	"finishline/internal/vectors"
)

// scriptVector copies a folder of the conformance vectors, so that a script can
// damage it: directories for their owner only, as a bridge makes them.
func scriptVector(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: vector AREA/FOLDER DIR")
	}
	from, to := filepath.Join(vectors.ProjectRoot(), "testdata", "vectors", filepath.FromSlash(args[0])), ts.MkAbs(args[1])
	ts.Check(vectors.CopyPrivate(to, from))
}

// scriptCut takes the last bytes of a file away, or its last line.
func scriptCut(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: cut FILE BYTES|line")
	}
	path := ts.MkAbs(args[0])
	data, err := os.ReadFile(path)
	ts.Check(err)
	if args[1] == "line" {
		data = data[:bytes.LastIndexByte(bytes.TrimSuffix(data, []byte{'\n'}), '\n')+1]
	} else {
		n, err := strconv.Atoi(args[1])
		ts.Check(err)
		data = data[:len(data)-n]
	}
	ts.Check(os.WriteFile(path, data, 0o600))
}

// scriptBOM puts a byte order mark before a text.
func scriptBOM(ts *testscript.TestScript, neg bool, args []string) {
	path := ts.MkAbs(only(ts, args))
	data, err := os.ReadFile(path)
	ts.Check(err)
	ts.Check(os.WriteFile(path, append([]byte("\xEF\xBB\xBF"), data...), 0o600))
}

// scriptLongLine adds a line of so many zero bytes, which take no room on disk.
func scriptLongLine(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: long-line FILE BYTES")
	}
	n, err := strconv.ParseInt(args[1], 10, 64)
	ts.Check(err)
	f, err := os.OpenFile(ts.MkAbs(args[0]), os.O_WRONLY, 0)
	ts.Check(err)
	defer f.Close()
	info, err := f.Stat()
	ts.Check(err)
	_, err = f.WriteAt([]byte{'\n'}, info.Size()+n)
	ts.Check(err)
}
