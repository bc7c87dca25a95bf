// Package skill reads the texts of a skill registry's pack (docs/contracts/09b,
// section 4). It knows no files.
package skill
