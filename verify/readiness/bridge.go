package readiness

import (
	"context"
	"errors"

	"finishline/verify"
	"finishline/verify/catalog"
)

// AtBridge verifies an assessment as the bridge does (section 7): with the
// catalog of the run root where it has one, and historical assessments allowed
// unless the adapter policy names the current schema. AdapterSchema is the
// schema that the policy names, "" when it names none. The root of the input is
// the parent of the directory that holds the artifact; its Catalog and Legacy
// are not looked at.
func AtBridge(ctx context.Context, in Input, adapterSchema string) (*Outcome, error) {
	if in.Root == nil {
		return nil, errors.New("production readiness: no repository root")
	}
	in.Legacy, in.Catalog = LegacyAllowed, ""
	if adapterSchema == Schema {
		in.Legacy = LegacyRefused
	}
	// One that cannot be looked at is there as far as the rules go: they say
	// that it is not available.
	if there, err := in.Root.Exists(catalog.Production); there || err != nil {
		in.Catalog = catalog.Production
	}
	o, err := Verify(ctx, in)
	if err != nil {
		return nil, err
	}
	if adapterSchema != "" && o.Result.Schema != adapterSchema {
		schema := o.Document.Get("schema")
		path := in.Path
		if path == "" {
			path = DefaultPath
		}
		o.Findings.Add("readiness.schema.adapter-mismatch", verify.At(path, "/schema"), verify.What{
			Found: verify.Show(schema), Expected: verify.Quote(adapterSchema) + ", as the adapter says"})
	}
	return o, nil
}
