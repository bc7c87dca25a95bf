package rules

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// sourceTree gives files of the Go source tree, about so many bytes together.
func sourceTree(b *testing.B, most int) (files [][]byte, size int64) {
	filepath.WalkDir(filepath.Join(runtime.GOROOT(), "src"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || size > int64(most) {
			return err
		}
		data, err := os.ReadFile(path)
		files, size = append(files, data), size+int64(len(data))
		return err
	})
	if size == 0 {
		b.Skip("the Go source tree is not at hand")
	}
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
