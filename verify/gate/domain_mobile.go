package gate

import (
	"regexp"
	"slices"
	"strings"

	"finishline/canon"
	"finishline/verify"
	"finishline/verify/evidence"
)

// Controls of the mobile pack whose evidence has rules of its own.
const (
	iosQuality      = "IOS-QUALITY-001"
	iosBuild        = "IOS-BUILD-001"
	iosDistribution = "IOS-DISTRIBUTION-001"
)

// identityMembers ties members of an evidence item to those of the pack's
// identity.
var identityMembers = []struct{ item, identity string }{
	{"targetIdentifier", "buildId"}, {"scheme", "scheme"}, {"bundleAndTeam", "bundleAndTeam"}, {"commissioningSha256", "commissioningSha256"},
}

// Commands are matched in ASCII lower case.
var (
	xcodebuild = regexp.MustCompile(`^[` + canon.SpaceClass + `]*xcodebuild\b`)
	testWord   = regexp.MustCompile(`\btest\b`)
	archive    = regexp.MustCompile(`\barchive\b`)
)

// ios judges the evidence of three controls of the mobile pack, in whatever
// pack they are listed and whatever their status is.
func (d *domain) ios(control, identity canon.Node) {
	items := control.At("evidence")
	switch id := control.Get("id"); {
	case id.Is(iosQuality):
		d.iosIdentity(items, identity)
		d.iosTests(items)
	case id.Is(iosBuild):
		d.iosIdentity(items, identity)
		d.iosArchive(items)
	case id.Is(iosDistribution):
		d.iosIdentity(items, identity)
		d.iosRelease(items)
	}
}

// iosIdentity demands evidence of this very build.
func (d *domain) iosIdentity(items, identity canon.Node) {
	for _, m := range identityMembers {
		want := identity.Get(m.identity)
		present, expected := evidence.Present(want), verify.Show(want)+", as "+m.identity+" of the pack's identity"
		for item := range items.All() {
			if n := item.At(m.item); !present || !evidence.Bound(n.Value, want) {
				d.fail("ios.identity", n, expected)
			}
		}
	}
}

// builds are the commands that run xcodebuild for a purpose.
func builds(items canon.Node, purpose *regexp.Regexp) []canon.Node {
	return slices.DeleteFunc(ofType(items, evidence.TypeCommand), func(item canon.Node) bool {
		command := canon.LowerASCII(item.Get("command").Text())
		return !xcodebuild.MatchString(command) || !purpose.MatchString(command)
	})
}

func onMac(item canon.Node) bool { return item.Get("runnerOs").Is("macos") }

func ciAttested(item canon.Node) bool {
	return item.Get("trustTier").Is(evidence.TrustCI) && item.Get("producer").Get("kind").Is(evidence.ProducerCI)
}

func (d *domain) iosTests(items canon.Node) {
	for _, item := range builds(items, testWord) {
		if onMac(item) && ciAttested(item) && isOneOf(item.Get("deviceClass"), "simulator", "physical") {
			return
		}
	}
	d.add("ios.quality", items, verify.What{Found: "no test run that CI attests", Expected: "an xcodebuild test command on macos, on a simulator or device, attested by CI"})
}

func (d *domain) iosArchive(items canon.Node) {
	if archives := builds(items, archive); len(archives) == 0 {
		d.add("ios.archive", items, verify.What{Found: "no archive command", Expected: "an xcodebuild archive command"})
	} else {
		first := archives[0]
		if !onMac(first) {
			d.fail("ios.archive-os", first.At("runnerOs"), "macos")
		}
		if !ciAttested(first) {
			d.fail("ios.archive-trust", first.At("trustTier"), "ci-attested, by a producer of kind ci")
		}
	}
	if !slices.ContainsFunc(ofType(items, evidence.TypeProviderReport), func(item canon.Node) bool {
		return providerIs(item, "github actions", "xcode cloud")
	}) {
		d.add("ios.receipt", items, verify.What{Found: "no receipt of the build service", Expected: "a provider report of GitHub Actions or Xcode Cloud"})
	}
}

func (d *domain) iosRelease(items canon.Node) {
	if !hasAppleReport(items) {
		d.add("ios.report", items, verify.What{Found: "no report of Apple", Expected: appleReport})
	}
	if !slices.ContainsFunc(ofType(items, evidence.TypeApproval), func(item canon.Node) bool {
		return item.Get("actorType").Is("human") && item.Get("status").Is("granted") &&
			isOneOf(item.Get("scope"), "testflight-release", "app-store-release") && evidence.Present(item.Get("bridgeEventId"))
	}) {
		d.add("ios.approval", items, verify.What{Found: "no approval of the release", Expected: "a granted approval by a person for testflight-release or app-store-release, with its bridge event"})
	}
}

const appleReport = "a provider report of App Store Connect or TestFlight, at appstoreconnect.apple.com or itunesconnect.apple.com"

// hasAppleReport looks for an Apple report (contract 09a, section 8).
func hasAppleReport(items canon.Node) bool {
	return slices.ContainsFunc(ofType(items, evidence.TypeProviderReport), func(item canon.Node) bool {
		url := canon.LowerASCII(item.Get("url").Text())
		return providerIs(item, "app store connect", "testflight") &&
			(strings.HasPrefix(url, "https://appstoreconnect.apple.com/") || strings.HasPrefix(url, "https://itunesconnect.apple.com/"))
	})
}

func providerIs(item canon.Node, names ...string) bool {
	provider := canon.LowerASCII(item.Get("provider").Text())
	return slices.ContainsFunc(names, func(name string) bool { return strings.Contains(provider, name) })
}
