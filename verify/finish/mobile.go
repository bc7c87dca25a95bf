package finish

import (
	"slices"

	"finishline/canon"
	"finishline/verify"
)

const mobilePack = "mobile-ios"

// mobileIdentity are the members that name an app (09 §3.7).
var mobileIdentity = []string{"scheme", "bundleAndTeam", "commissioningSha256"}

// domainPacks demands the same packs, in any order, each as often.
func (c *cross) domainPacks() {
	packs := c.domain.At("packs")
	var have, want []string
	for e := range packs.All() {
		have = append(have, exactText(e.Get("id")))
	}
	for e := range c.route.At("domainPacks").All() {
		want = append(want, exactText(e.Value))
	}
	slices.SortFunc(have, canon.CompareUTF16)
	slices.SortFunc(want, canon.CompareUTF16)
	if !slices.Equal(have, want) {
		c.out.Add("aggregate.domain.pack-mismatch", verify.At(c.domain.path, packs.Pointer), verify.What{
			Found: textOf(have), Expected: textOf(want) + ", the packs of the route"})
	}
}

// exactText tells values apart that are not the same.
func exactText(v canon.Value) string {
	if s, ok := v.Str(); ok {
		return s
	}
	return "(" + v.Kind().String() + ") " + canon.TextForm(v)
}

// mobile is 09 §3.7 for the first pack of an iOS app.
func (c *cross) mobile() {
	var pack canon.Node
	for e := range c.domain.At("packs").All() {
		if e.Get("id").Is(mobilePack) {
			pack = e
			break
		}
	}
	if !pack.Present() {
		return
	}
	commissioned := c.route.At("mobileIos")
	have, want := orEmpty(pack.Get("features")), orEmpty(c.route.Get("domainFeatures").Get(mobilePack))
	if !canon.Same(have, want) {
		c.out.Add("aggregate.mobile.features", verify.At(c.domain.path, pack.At("features").Pointer), verify.What{
			Found: string(canon.Compact(have)), Expected: string(canon.Compact(want)) + ", as in " + routePath + ", in this order"})
	}
	if n := commissioned.At("status"); !n.Is("commissioned") {
		c.add("mobile.commissioning", c.route, n, `"commissioned"`)
	}
	identity := pack.At("identity")
	for _, member := range mobileIdentity {
		c.bound("mobile.identity", c.domain, identity.At(member), commissioned.Get(member), routePath)
	}
	if c.smoke == nil {
		return
	}
	target := c.smoke.At("target")
	if kind := target.Get("kind"); !kind.Is("testflight") && !kind.Is("app-store") {
		return
	}
	c.bound("mobile.smoke-identifier", c.smoke, target.At("identifier"), identity.Get("buildId"), domainPath+", buildId")
	for _, member := range mobileIdentity {
		c.bound("mobile.smoke-identity", c.smoke, target.At(member), identity.Get(member), domainPath)
	}
}

// orEmpty is {} for a falsy value.
func orEmpty(v canon.Value) canon.Value {
	if v.Truthy() {
		return v
	}
	return canon.Build()
}
