package example

import (
	"bytes"
	"crypto/ed25519"
	"fmt"
	"os"
	"path/filepath"

	"finishline/canon"
	"finishline/packet"
)

// A Tampering breaks a run in one way. Where an attacker could, it repairs
// every digest that he can compute afterwards, so that the refusal does not
// rest on a forgotten one.
type Tampering struct {
	Name  string
	Story string // what was done, one sentence
	// Rule is one that must be among those that refuse the run, at the top
	// level or as a cause.
	Rule string
	// Apply changes the run, in its directory or its pin.
	Apply func(run *Run) error
}

// Tamperings are the five of the demonstration.
func Tamperings() []Tampering {
	return []Tampering{
		{"an artifact changed by one byte",
			"trajectory/trace.txt says 08:56 where it said 08:55",
			"trajectory.trace",
			func(run *Run) error { return run.replace("trajectory/trace.txt", "08:55", "08:56") }},
		{"a finding changed after it was signed",
			`review/review.json calls its finding "trivial", and the packet's digests were repaired`,
			"review.attestation.payload-mismatch",
			func(run *Run) error {
				if err := run.replace("review/review.json", `"severity": "minor"`, `"severity": "trivial"`); err != nil {
					return err
				}
				return run.Rebind()
			}},
		{"another reviewer's key, and the review signed again with it",
			"controls/review-trust.v1.json holds a new key under the old name; review and packet were made consistent with it",
			"trust.pin.live-mismatch",
			swapKey},
		{"a stale route",
			"run/route.json was written again after the goal was set, and the packet's digests were repaired",
			"aggregate.goal.route-digest",
			func(run *Run) error {
				if err := run.replace("run/route.json", "2026-04-07T08:10:00Z", "2026-04-07T09:45:00Z"); err != nil {
					return err
				}
				return run.Rebind()
			}},
		{"a rolled-back trust store",
			"the operator has revoked the key and pinned the new store; the run still comes with the old one",
			"runtime.trust.committed-pin-mismatch",
			func(run *Run) error {
				store, err := run.read(trustPath, canon.MaxTrustStore)
				if err != nil {
					return err
				}
				key := canon.With(store.Get("keys").Elems()[0], "status", canon.NewString("revoked"))
				run.Pin = canon.Digest(canon.With(store, "keys", canon.NewArray(key)))
				return nil
			}},
	}
}

// swapKey does what someone without the reviewer's key can do: enrol a key of
// his own and sign with it.
func swapKey(run *Run) error {
	key := ThrowAwayKey("finishline example intruder: public knowledge, trust it nowhere")
	block, err := PublicKeyPEM(key.Public().(ed25519.PublicKey))
	if err != nil {
		return err
	}
	store, err := run.read(trustPath, canon.MaxTrustStore)
	if err != nil {
		return err
	}
	entry := canon.With(store.Get("keys").Elems()[0], "publicKeyPem", canon.NewString(block))
	store = canon.With(store, "keys", canon.NewArray(entry))
	if err := run.write(trustPath, store); err != nil {
		return err
	}
	doc, err := run.read("review/review.json", canon.MaxReview)
	if err != nil {
		return err
	}
	doc = canon.With(doc, "reviewTrustSha256", canon.NewString(canon.Digest(store)))
	if err := run.write("review/review.json", Sign(doc, key)); err != nil {
		return err
	}
	return run.Rebind()
}

func (run *Run) path(name string) string { return filepath.Join(run.Dir, filepath.FromSlash(name)) }

func (run *Run) read(name string, maxBytes int) (canon.Value, error) {
	data, err := os.ReadFile(run.path(name))
	if err != nil {
		return canon.Value{}, err
	}
	doc, err := canon.Read(data, maxBytes)
	if err != nil {
		return canon.Value{}, fmt.Errorf("%s: %w", name, err)
	}
	return doc.Root, nil
}

func (run *Run) write(name string, v canon.Value) error {
	return os.WriteFile(run.path(name), canon.Pretty(v), 0o644)
}

// replace changes the one place where a file says old.
func (run *Run) replace(name, old, new string) error {
	data, err := os.ReadFile(run.path(name))
	if err != nil {
		return err
	}
	if n := bytes.Count(data, []byte(old)); n != 1 {
		return fmt.Errorf("%s says %q %d times", name, old, n)
	}
	return os.WriteFile(run.path(name), bytes.Replace(data, []byte(old), []byte(new), 1), 0o644)
}

// Rebind repairs every digest of the packet that anyone can compute: those of
// inputs, gate artifacts and inventory, the role provenance, and the bindings.
func (run *Run) Rebind() error {
	doc, err := run.read(packet.DefaultPath, canon.MaxDocument)
	if err != nil {
		return err
	}
	inputs := canon.Build()
	for _, m := range doc.Get("inputs").Members() {
		entry, err := run.redigest(m.Value)
		if err != nil {
			return err
		}
		inputs = canon.With(inputs, m.Name, entry)
	}
	for _, list := range []string{"gateArtifacts", "artifactInventory"} {
		if !doc.Get(list).IsArray() {
			continue
		}
		var entries []canon.Value
		for _, entry := range doc.Get(list).Elems() {
			if entry, err = run.redigest(entry); err != nil {
				return err
			}
			entries = append(entries, entry)
		}
		doc = canon.With(doc, list, canon.NewArray(entries...))
	}
	signed, err := run.read("review/review.json", canon.MaxReview)
	if err != nil {
		return err
	}
	doc = canon.With(doc, "inputs", inputs)
	doc = canon.With(doc, "roleProvenanceSha256", canon.NewString(packet.RoleProvenanceSHA256(signed)))
	bindings, err := packet.DigestsOf(doc).BindingsValue()
	if err != nil {
		return err
	}
	return run.write(packet.DefaultPath, canon.With(doc, "bindings", bindings))
}

func (run *Run) redigest(entry canon.Value) (canon.Value, error) {
	data, err := os.ReadFile(run.path(entry.Get("path").Text()))
	if err != nil {
		return canon.Value{}, err
	}
	if entry.Get("size").Present() {
		entry = canon.With(entry, "size", canon.NewNumber(float64(len(data))))
	}
	return canon.With(entry, "sha256", canon.NewString(canon.SHA256(data))), nil
}
