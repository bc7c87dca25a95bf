// Package skill reads the texts of a skill registry's pack (docs/contracts/09b,
// section 4): the front matter of a skill file, the fields of its agent file,
// and the routing projection that a registry must have beside it. It knows no
// files and no rules: the skill-registry gate reads and judges.
//
// Start with [FrontMatter], [Field] and [ImplicitInvocation] for the two small
// text formats. They are not YAML: the contract defines them by a few lines of
// text matching, and a YAML library would accept other texts. [Projection]
// renders the file codex-routing.yaml that belongs to a registry, byte for
// byte.
//
// All functions take decoded text (canon.DecodeUTF8), never panic, and need
// time linear in it.
package skill
