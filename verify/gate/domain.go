package gate

import (
	"slices"

	"finishline/canon"
	"finishline/verify"
	"finishline/verify/evidence"
)

const domainPath = "domain/assurance.json"

var domainGate = newGate("domain-assurance", domainPath, domainTable, checkDomain)

// packControls are the controls of the domain packs that always apply.
var packControls = map[string][]string{
	"saas":                 {"SAAS-TENANT-001", "SAAS-ROLES-001", "SAAS-ENTITLEMENTS-001", "SAAS-METERING-001", "SAAS-LIFECYCLE-001", "SAAS-AUDIT-001"},
	mobilePack:             {"IOS-SUPPORT-001", iosQuality, "IOS-SECURITY-001", iosBuild},
	"multiplayer-realtime": {"MP-AUTHORITY-001", "MP-SESSION-001", "MP-MATCH-001", "MP-CAPACITY-001", "MP-STATE-001", "MP-INCIDENT-001"},
	"digital-commerce":     {"COM-AUTHORITY-001", "COM-IDEMPOTENCY-001", "COM-LIFECYCLE-001", "COM-RECONCILE-001", "COM-FRAUD-001", "COM-REDZONE-001"},
	"youth-ai-safety":      {"YOUTH-AUDIENCE-001", "YOUTH-CONTENT-001", "YOUTH-PRIVACY-001", "YOUTH-SOCIAL-001", "YOUTH-AI-AUTHORITY-001", "YOUTH-INCIDENT-001"},
}

// mobileFeatureControls apply only to an app with the feature.
var mobileFeatureControls = []struct{ id, feature string }{
	{iosDistribution, "distribution"}, {"IOS-PUSH-001", "push"},
}

// checkDomain is contract 09a, section 8.
func checkDomain(c *checker) {
	classification, policy, ok := c.judgedBy()
	if !ok {
		return
	}
	c.oneOf("schema", c.doc.At("schema"), "uash.domain-assurance.v1")
	c.members(header)
	c.tier(tierBindings, classification)
	packs := c.doc.At("packs")
	c.array("packs", packs)
	for entry := range packs.All() {
		if c.broken(entry) {
			return
		}
	}
	if expected := classification.node.Get("domainPacks"); !slices.Equal(packIDs(packs), sortedTexts(expected.Elems())) {
		c.add("pack-mismatch", packs, verify.What{Found: "packs " + text(canon.NewArray(idsOf(packs)...)), Expected: "those of the classification, " + text(expected)})
	}
	if packs.Len() == 0 || !packs.IsArray() {
		c.skippedDocument()
		return
	}
	c.oneOf("status", c.doc.At("status"), statusPassed)
	d := domain{checker: c, ctx: c.underTier(policy), features: classification.node.Get("domainFeatures"),
		wanted: map[string]string{}, seen: map[string]bool{}}
	for entry := range packs.All() {
		d.pack(entry)
	}
}

func idsOf(packs canon.Node) []canon.Value {
	var ids []canon.Value
	for entry := range packs.All() {
		ids = append(ids, entry.Get("id"))
	}
	return ids
}

func packIDs(packs canon.Node) []string { return sortedTexts(idsOf(packs)) }

// sortedTexts makes lists comparable as multisets of raw values.
func sortedTexts(values []canon.Value) []string {
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = text(v)
	}
	slices.Sort(texts)
	return texts
}

type domain struct {
	*checker
	ctx      evidence.Context
	features canon.Value // of the classification, by pack
	wanted   map[string]string
	seen     map[string]bool
}

func (d *domain) pack(entry canon.Node) {
	n := entry.At("id")
	id := evidence.Trimmed(n.Value)
	if d.seen[id] {
		d.fail("pack.duplicate", n, "each pack once")
	}
	d.seen[id] = true
	expected, known := packControls[id]
	if !known {
		d.fail("pack.unknown", n, alternatives(d.run.rules.Packs()))
		return
	}
	if have, want := text(orEmpty(entry.Get("features"))), d.classified(id); have != want {
		d.add("pack.features", entry.At("features"), verify.What{Found: have, Expected: want})
	}
	list := entry.At("controls")
	catalog := controlCatalog{expected: expected, known: func(id string) bool { return slices.Contains(expected, id) }}
	if id == mobilePack {
		catalog = d.mobile(entry, expected)
	}
	d.controls(list, catalog, d.ctx)
	for control := range list.All() {
		d.ios(control, entry.At("identity"))
	}
}

// classified is the compact text of a pack's features in the classification,
// written once however often the pack is listed.
func (d *domain) classified(id string) string {
	want, known := d.wanted[id]
	if !known {
		want = text(orEmpty(d.features.Get(id)))
		d.wanted[id] = want
	}
	return want
}

// orEmpty is {} for a falsy value.
func orEmpty(v canon.Value) canon.Value {
	if v.Truthy() {
		return v
	}
	return canon.Build()
}

// mobile judges what only the mobile pack has, and gives its controls.
func (d *domain) mobile(entry canon.Node, always []string) controlCatalog {
	features := entry.At("features")
	for _, feature := range []string{"distribution", "push"} {
		if n := features.At(feature); n.Kind() != canon.Bool {
			d.fail("pack.feature-type", n, "true or false")
		}
	}
	for _, m := range identityMembers {
		d.present("identity", entry.At("identity").At(m.identity))
	}
	if n := entry.At("identity").At("commissioningSha256"); evidence.Present(n.Value) {
		d.digestForm("identity", n)
	}
	expected, known := slices.Clone(always), slices.Clone(always)
	have := listed(entry.At("controls"))
	for _, f := range mobileFeatureControls {
		known = append(known, f.id)
		switch n := features.At(f.feature); {
		case n.IsBool(true):
			expected = append(expected, f.id)
		case have[f.id]:
			d.add("control.inactive", entry.At("controls"), verify.What{Found: f.id + " is listed, and feature " + f.feature + " is " + verify.Show(n.Value), Expected: "controls of the app's own features"})
		}
	}
	return controlCatalog{expected: expected, known: func(id string) bool { return slices.Contains(known, id) }}
}
