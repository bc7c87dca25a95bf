package runtest

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"finishline/canon"
	"finishline/packet"
)

// given writes the documents of the plan in place of those of the example,
// made to fit this repository: they name its commit and the registry of its
// pack, and where one holds the digest of another, the digest it has now.
func (b *builder) given() error {
	files, err := textFiles(b.plan.Documents)
	if err != nil {
		return err
	}
	intake, err := canon.Read([]byte(files["run/intake.json"]), canon.MaxDocument)
	if err != nil {
		return fmt.Errorf("run/intake.json: %w", err)
	}
	route, err := canon.Read([]byte(files["run/route.json"]), canon.MaxDocument)
	if err != nil {
		return fmt.Errorf("run/route.json: %w", err)
	}
	registry, err := b.registryDigest()
	if err != nil {
		return err
	}
	b.runID, b.environment = intake.Root.Get("runId").Text(), intake.Root.Get("environment").Text()
	names := strings.NewReplacer(intake.Root.Get("commit").Text(), b.commit, route.Root.Get("registrySha256").Text(), registry)
	fitted := refit(files, func(path, text string) string {
		if text = names.Replace(text); b.plan.Edit != nil {
			text = b.plan.Edit(path, text)
		}
		return text
	})
	for path, text := range fitted {
		if !packet.InNamespace(path) {
			continue
		}
		if err := b.write(path, []byte(text)); err != nil {
			return err
		}
	}
	return nil
}

// maxRefits is more than the longest chain of digests in a run: intake,
// classification, route, goal.
const maxRefits = 10

// refit changes texts, then every digest of one of them in another, until all
// fit.
func refit(files map[string]string, change func(path, text string) string) map[string]string {
	fitted := map[string]string{}
	for path, text := range files {
		fitted[path] = change(path, text)
	}
	for range maxRefits {
		var pairs []string
		for path, text := range files {
			if old, now := canon.TextDigest(text), canon.TextDigest(fitted[path]); old != now {
				pairs = append(pairs, old, now)
			}
		}
		digests := strings.NewReplacer(pairs...)
		stable := true
		for path, text := range files {
			next := digests.Replace(change(path, text))
			stable = stable && next == fitted[path]
			fitted[path] = next
		}
		if stable {
			break
		}
	}
	return fitted
}

func textFiles(tree fs.FS) (map[string]string, error) {
	files := map[string]string{}
	err := fs.WalkDir(tree, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(tree, path)
		files[path] = string(data)
		return err
	})
	return files, err
}

// committed writes what the plan commits besides the example's product: the
// files of its product, and those of its documents that are no evidence.
func (b *builder) committed() error {
	if err := b.commitFiles(b.plan.Documents, packet.InNamespace); err != nil {
		return err
	}
	return b.commitFiles(b.plan.Product, func(string) bool { return false })
}

// commitFiles writes the files of a tree, which may be nil, but those to skip.
func (b *builder) commitFiles(tree fs.FS, skip func(path string) bool) error {
	if tree == nil {
		return nil
	}
	files, err := textFiles(tree)
	for path, text := range files {
		if err == nil && !skip(path) {
			err = b.write(path, []byte(text))
		}
	}
	return err
}

func (b *builder) registryDigest() (string, error) {
	registry, err := os.ReadFile(filepath.Join(b.dir, "skills/registry.json"))
	if err != nil {
		return "", err
	}
	doc, err := canon.Read(registry, canon.MaxDocument)
	if err != nil {
		return "", err
	}
	return canon.SemanticDigest(doc.Root), nil
}
