package vectors

import (
	"os"
	"testing"
)

// Long skips a test that tries everything where others try a part, unless
// FINISHLINE_LONG is set: continuous integration has a quarter of an hour for
// all that it does.
func Long(t testing.TB) {
	t.Helper()
	if os.Getenv("FINISHLINE_LONG") == "" {
		t.Skip("takes long; make long runs it")
	}
}
