// Package catalog knows the sixteen control catalogs of a pack (contract 09b,
// section 3): which there are, and which editions of each are accepted.
//
// A catalog gives names to layers, controls, profiles and their edges. The
// rules of the gates are tables of the verifier, never text from a catalog, so
// a catalog is accepted by its semantic digest: [Known] compares with two
// editions. The reference edition is the one that existing documents were made
// against; only its digests are here. The house edition, [House], is embedded:
// the same ids, edges, tiers and proof types in words of our own, for packs
// that are made with finishline. A catalog of any other content is refused.
package catalog

import (
	"embed"
	"fmt"
	"io/fs"
	"slices"
	"sync"

	"finishline/canon"
)

//go:embed controls
var house embed.FS

// House is the house edition, as the files of a pack: controls/….
func House() fs.FS { return house }

// Paths of the catalogs that documents bind, below the pack root.
const (
	Taxonomy    = "controls/workload-taxonomy.v1.json"
	Foundation  = "controls/foundation-layer.v1.json"
	Production  = "controls/production-layers.v2.json"
	AI          = "controls/genai-assurance.v1.json"
	DomainIndex = "controls/domain-packs/index.json"
)

// DomainPack is the path of a domain pack's catalog; it need not exist.
func DomainPack(id string) string { return "controls/domain-packs/" + id + ".v1.json" }

// edition holds the digests of one file: of its compact form, which documents
// bind and packs are checked by, and of its bytes, which the foundation
// assessment binds.
type edition struct{ semantic, raw string }

// reference are the digests of the reference edition. Four files have no known
// raw digest; nothing binds it.
var reference = map[string]edition{
	Taxonomy:                           {"1d43a946a5aabe9919d46cdc52591950e85aa238e3d3886c3e6a2d65f157da14", "f53a1df8075185703c28d1050f79a6c4064956a82391c772633fcdaab15ed701"},
	Foundation:                         {"a7403ada1c5dad44e126544337a5c2884ac1eaac43e6f6c2daf1bb2df90b319e", "267755b646066d3d7e4c05613c7d2d9000ec7841d4769cf4f08d3b43e57cdd5b"},
	Production:                         {"19bbb930c70eb99093fd2318b9fb45e4fc5543e8158c9c5d2e893c0d708ec3e5", "d933496bc005c4b161111a40af2b3e68eb4ca89f0fe8681ccc4787480c5f15ca"},
	AI:                                 {"dbdfe7854f000dd6312f0c7c08fc882ec1b39bec411de9ccd52a423c3a358ebc", "5b6de18927cf6c928cff4593a1d8ace9a42ab20c93ca132d9eab9083a5de3b0e"},
	DomainIndex:                        {"993b99ac179e6220a7d26c86181babf6c79fb37db55f760e277d50e5777d6324", "7ad53ae1ad555a0b1eeef379100e0d4a25ff98b3f42cb813139905cc65a0bff6"},
	DomainPack("saas"):                 {"4290d854d35217e9cc304a101ec53f378c24123407cd604229e0409da728b913", "67f8d147036a1831232643bbc22fdb47b89de94524b0f3d4f22807fa29aab70a"},
	DomainPack("mobile-ios"):           {"c7ec574e021f25d54bd71d0717b4cf9abc675c753cae4ef1524da93848eeda28", "9c6ddf5534e50b3b29721bde619600ceda75a89f817e034037b2fc7a09459bb0"},
	DomainPack("youth-ai-safety"):      {"52796b6f8724e98843e569449ea703a91234a960663720a5eb78a26257790074", "0b05e4c8008069872bf6e273ff83867f219d09d4ccc5e28ca2a4094c042f321f"},
	DomainPack("digital-commerce"):     {"cc57dbf35907911909104ed0821287a641782be33b9788d64c3b077486d2647f", "783a6f5ed1d753d67c080189bfec9676900c611ea713eca8a2d7a282ede9efc0"},
	DomainPack("multiplayer-realtime"): {"953a499cdef8496e899b5e6d4118ead694d9a191d26c443cc32e5d93f3065da6", "b4182aa6134607f55862617a99243b922ff75ffa487688178b658d2261c87520"},
	"controls/assurance-execution-policy.v1.json":          {"8c44818fbdedf8c7bb3333e76fa53e5cd7256b035390fe49abf4abb899b62655", "9737a10dbe80b07d8daeffaf3f41bfb8338ac16cecd2048b79bae93d1e4c821d"},
	"controls/capability-packs/async-workflows.v1.json":    {"dbe9b82d84aa66be8285b057467b049bcba55a71a81b13cb54276d205dd87392", "33fffb3344c590c0078413a7526d86d609ce53e046c2e96f3e07af5d9db21366"},
	"controls/provenance/thirteen-layers.upstream.v1.json": {semantic: "8e5901e1894f94e0ecec37433718d9b51a11a7e143c76519c066074846ea9260"},
	"controls/crosswalks/thirteen-layers-to-uash.v1.json":  {semantic: "41269ae1176199c79a7693438497b61bcaa4440d142ccdf4a32ea911ad2ed00e"},
	"controls/clean-room-behaviors.v1.json":                {semantic: "d27dd758d131d7bef1b40f09db0692e1b1cb8a4716e2aa8ae76b623ea28090fb"},
	"controls/authoritative-assurance.v1.json":             {semantic: "b0a123ec4e451dd0775cc6b152caeb72d2e321f9e4b39b85b12bb7075966c2b3"},
}

// houseEditions are the digests of the embedded files, computed once.
var houseEditions = sync.OnceValues(func() (map[string]edition, error) {
	digests := map[string]edition{}
	for _, path := range Paths() {
		data, err := house.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("house catalog: %w", err)
		}
		doc, err := canon.Read(data, canon.MaxDocument)
		if err != nil {
			return nil, fmt.Errorf("house catalog %s: %w", path, err)
		}
		digests[path] = edition{canon.SemanticDigest(doc.Root), canon.SHA256(data)}
	}
	return digests, nil
})

// Paths lists the sixteen catalogs, sorted, as paths below the pack root.
func Paths() []string {
	paths := make([]string, 0, len(reference))
	for p := range reference {
		paths = append(paths, p)
	}
	slices.Sort(paths)
	return paths
}

// Known reports whether digest is the semantic digest of a known edition of
// the catalog at path. The comparison is exact.
func Known(path, digest string) bool {
	return digest != "" && slices.ContainsFunc(editions(path), func(e edition) bool { return e.semantic == digest })
}

// KnownRaw reports whether digest is the digest of the bytes of a known
// edition of the catalog at path. The comparison is exact.
func KnownRaw(path, digest string) bool {
	return digest != "" && slices.ContainsFunc(editions(path), func(e edition) bool { return e.raw == digest })
}

// HouseDigest is the semantic digest of the house edition, "" for a path that
// is no catalog.
func HouseDigest(path string) string {
	digests, err := houseEditions()
	if err != nil {
		return ""
	}
	return digests[path].semantic
}

func editions(path string) []edition {
	ref, ok := reference[path]
	if !ok {
		return nil
	}
	digests, err := houseEditions()
	if err != nil { // the embedded files are checked by a test
		return []edition{ref}
	}
	return []edition{ref, digests[path]}
}
