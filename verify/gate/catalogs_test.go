package gate

import (
	"io/fs"
	"slices"
	"strings"
	"testing"

	"finishline/canon"
	"finishline/verify/catalog"
)

// The tables of the gates are those of the catalogs: ids, dependencies, proof
// types and conditions. The house edition has them from the reference edition.

func houseCatalog(t *testing.T, path string) canon.Value {
	t.Helper()
	data, err := fs.ReadFile(catalog.House(), path)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := canon.Read(data, canon.MaxDocument)
	if err != nil {
		t.Fatal(err)
	}
	return doc.Root
}

func textsOf(v canon.Value) []string {
	var texts []string
	for _, e := range v.Elems() {
		texts = append(texts, e.Text())
	}
	return texts
}

func TestFoundationTable(t *testing.T) {
	listed := houseCatalog(t, catalog.Foundation).Get("capabilities").Elems()
	if len(listed) != len(capabilities) {
		t.Fatalf("%d capabilities in the catalog, %d in the table", len(listed), len(capabilities))
	}
	for i, want := range listed {
		have := capabilities[i]
		if have.id != want.Get("id").Text() || !slices.Equal(have.dependsOn, textsOf(want.Get("dependencies"))) {
			t.Errorf("capability %s rests on %q", have.id, have.dependsOn)
		}
		for j, control := range want.Get("controls").Elems() {
			p := have.controls[j]
			if p.id != control.Get("id").Text() || !slices.Equal(p.types, textsOf(control.Get("proofPolicy").Get("types"))) {
				t.Errorf("control %s is proved by %q", p.id, p.types)
			}
		}
	}
}

// conditionals sorts the controls of a catalog by whether they always apply.
func conditionals(list canon.Value) (always []string, byFeature map[string]string) {
	byFeature = map[string]string{}
	for _, control := range list.Elems() {
		if feature := control.Get("conditional").Text(); feature != "" {
			byFeature[control.Get("id").Text()] = feature
		} else {
			always = append(always, control.Get("id").Text())
		}
	}
	slices.Sort(always)
	return always, byFeature
}

func TestAITable(t *testing.T) {
	always, byFeature := conditionals(houseCatalog(t, catalog.AI).Get("controls"))
	if !slices.Equal(slices.Sorted(slices.Values(aiControls)), always) {
		t.Errorf("controls %q, want %q", aiControls, always)
	}
	for _, f := range aiFeatureControls {
		if byFeature[f.id] != f.feature {
			t.Errorf("%s depends on %s", f.id, f.feature)
		}
		delete(byFeature, f.id)
	}
	if len(byFeature) > 0 {
		t.Errorf("controls not in the table: %v", byFeature)
	}
}

func TestPackTable(t *testing.T) {
	packs := houseCatalog(t, catalog.DomainIndex).Get("packs").Elems()
	if len(packs) != len(packControls) {
		t.Errorf("%d packs in the index, %d in the table", len(packs), len(packControls))
	}
	for _, pack := range packs {
		id := pack.Get("id").Text()
		always, byFeature := conditionals(houseCatalog(t, catalog.DomainPack(id)).Get("controls"))
		if have := slices.Sorted(slices.Values(packControls[id])); !slices.Equal(have, always) {
			t.Errorf("pack %s: %q, want %q", id, have, always)
		}
		if id == mobilePack {
			for _, f := range mobileFeatureControls {
				if byFeature[f.id] != f.feature {
					t.Errorf("%s depends on %s", f.id, f.feature)
				}
				delete(byFeature, f.id)
			}
		}
		if len(byFeature) > 0 {
			t.Errorf("pack %s: controls not in the table: %v", id, byFeature)
		}
	}
}

func TestSecretLike(t *testing.T) {
	for path, want := range map[string]bool{
		".env": true, "a/.ENV.local/b": true, ".npmrc": true, ".PyPirc": true, "kubeconfig": true, "credentials": true, "Credential.json": true,
		"secrets/notes.md": true, "keys.md": true, "KEY.x.y": true, "service_account.json": true, "serviceaccount": true, "service-accounts": false,
		"x.pem": true, "a/b.P12": true, "my.keystore": true, "\u212Aeys.md": true, "a/ keys ": true, "keys.\u2028": false, "keys.a\nb": false, "keys.a\n": true,
		"my-secrets.md": false, "keyboard.md": false, "env": false, ".environment": false, "x.pem.txt": false, "notes/guide.md": false, "keys.": false, "": false,
	} {
		if got := secretLike(path); got != want {
			t.Errorf("%q: %t", strings.ToValidUTF8(path, "?"), got)
		}
	}
}
