package scaffold

import (
	"io/fs"
	"strings"

	"finishline/canon"
	"finishline/verify"
	"finishline/verify/catalog"
	"finishline/verify/evidence"
	"finishline/verify/gate"
)

// catalogs reads the control catalogs that documents bind: those of the pack,
// or without one the house edition.
type catalogs struct {
	place Place
	house bool
}

func (p Place) catalogs() catalogs {
	if !p.Pack.Present {
		return catalogs{place: p, house: true}
	}
	return catalogs{place: p}
}

// read gives the bytes of a catalog.
func (c catalogs) read(path string) ([]byte, error) {
	if c.house {
		return fs.ReadFile(catalog.House(), path)
	}
	return c.place.packFile(path)
}

// packFile reads a file of the pack.
func (p Place) packFile(path string) ([]byte, error) {
	root, err := evidence.Open(p.Pack.Dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	const hint = "make a pack with finishline pack new, or name one with --runtime"
	res, refErr := root.OwnFile(path, verify.Base)
	if refErr != nil {
		return nil, &NeedError{path, refErr.Reason + " in the pack", hint}
	}
	artifact, err := root.ReadResolved(res, canon.MaxDocument)
	if err != nil {
		return nil, &NeedError{path, err.Error(), hint}
	}
	return artifact.Data, nil
}

func (c catalogs) document(path string) (canon.Value, error) {
	data, err := c.read(path)
	if err != nil {
		return canon.Value{}, err
	}
	doc, err := canon.Read(data, canon.MaxDocument)
	if err != nil {
		return canon.Value{}, &NeedError{path, err.Error(), "restore the catalog as its pack came"}
	}
	return doc.Root, nil
}

// values are the catalogs that can be read, for the sentences in them.
func (c catalogs) values() []canon.Value {
	var list []canon.Value
	for _, path := range catalog.Paths() {
		if v, err := c.document(path); err == nil {
			list = append(list, v)
		}
	}
	return list
}

// digests is the member catalogDigests.
func (c catalogs) digests() (canon.Value, error) {
	var list []canon.Member
	for _, b := range gate.BoundCatalogs() {
		v, err := c.document(b.Path)
		if err != nil {
			return canon.Value{}, err
		}
		list = append(list, text(b.Member, canon.SemanticDigest(v)))
	}
	return object(list...), nil
}

// packDigests are those of the catalogs of domain packs.
func (c catalogs) packDigests(packs canon.Value) (canon.Value, error) {
	var list []canon.Member
	for _, p := range packs.Elems() {
		id := p.Text()
		if strings.ContainsAny(id, "/\\.") || id == "" {
			return canon.Value{}, &NeedError{classificationPath, "it names a domain pack that cannot be one", makers[classificationPath]}
		}
		v, err := c.document(catalog.DomainPack(id))
		if err != nil {
			return canon.Value{}, err
		}
		list = append(list, text(id, canon.SemanticDigest(v)))
	}
	return object(list...), nil
}
