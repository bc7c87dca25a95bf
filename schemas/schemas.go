// Package schemas embeds the JSON Schemas that finishline publishes: what its
// own output looks like, for those who read it with a program.
package schemas

import "embed"

//go:embed *.json
var files embed.FS

// Report is the schema of JSON reports, finishline.report.v1.
func Report() []byte {
	data, _ := files.ReadFile("report.v1.json") // embedded, so always there
	return data
}
