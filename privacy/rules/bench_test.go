package rules

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// sourceTree gives files of the Go source tree, about so many bytes together.
func sourceTree(b *testing.B, most int) (files [][]byte, size int64) {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		b.Skip("the Go source tree is not at hand")
	}
	filepath.WalkDir(filepath.Join(strings.TrimSpace(string(root)), "src"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || size > int64(most) {
			return err
		}
		data, err := os.ReadFile(path)
		files, size = append(files, data), size+int64(len(data))
		return err
	})
	return files, size
}

func BenchmarkGoSource(b *testing.B) {
	e := extendedEngine(b)
	files, size := sourceTree(b, 32<<20)
	hits := 0
	b.SetBytes(size)
	b.ReportAllocs()
	b.ResetTimer()
	for range b.N {
		for _, data := range files {
			e.Scan("file.go", data, func(Hit) { hits++ })
		}
	}
	b.ReportMetric(float64(hits)/float64(b.N), "hits")
}

// What a command waits for before it scans.
func BenchmarkCompile(b *testing.B) {
	for range b.N {
		if _, err := Extended().Compile(); err != nil {
			b.Fatal(err)
		}
	}
}

// The vectors are dense in what rules look for.
func BenchmarkVectors(b *testing.B) {
	e := extendedEngine(b)
	var text []byte
	for _, l := range vectorLines(b) {
		text = append(append(text, l.text()...), '\n')
	}
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		e.Scan("file.txt", text, func(Hit) {})
	}
}
