package rules

import (
	"bytes"
	"regexp"
	"sync"
)

// The lists of the embedded file, in the form in which they are asked.
type lists struct {
	placeholderWords [][]byte
	defaultPasswords map[string]bool
	excludedNames    [][]byte
	digestName       *regexp.Regexp
	sharedAccounts   map[string]bool
	publishedCards   map[string]bool
	resolvers        map[string]bool
	reservedIPv4     []string
	ibanLengths      map[string]int
	boundaries       map[string]byteSet
}

var listed = sync.OnceValue(func() *lists {
	own := embedded().Finishline
	l := &lists{
		placeholderWords: byteLists(own.Lists["placeholderWords"]),
		defaultPasswords: setOfStrings(own.Lists["defaultPasswords"]),
		excludedNames:    byteLists(own.Lists["excludedSecretNames"]),
		sharedAccounts:   setOfStrings(own.Lists["sharedAccounts"]),
		publishedCards:   setOfStrings(own.Lists["publishedCardNumbers"]),
		resolvers:        setOfStrings(own.Lists["publicResolvers"]),
		reservedIPv4:     own.Lists["reservedIpv4"],
		ibanLengths:      own.IBANLengths,
		boundaries:       map[string]byteSet{},
	}
	var ends bytes.Buffer
	for i, expr := range own.Lists["digestNames"] {
		if i > 0 {
			ends.WriteByte('|')
		}
		ends.WriteString(expr)
	}
	l.digestName = regexp.MustCompile(`(?:` + ends.String() + `)$`)
	for name, expr := range own.Boundaries {
		l.boundaries[name] = mustClass(expr)
	}
	return l
})

func byteLists(words []string) [][]byte {
	list := make([][]byte, len(words))
	for i, w := range words {
		list[i] = []byte(w)
	}
	return list
}

func setOfStrings(words []string) map[string]bool {
	set := make(map[string]bool, len(words))
	for _, w := range words {
		set[w] = true
	}
	return set
}
