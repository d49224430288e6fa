package locator

import "strings"

// ariaRoles are the roles of WAI-ARIA 1.2 that Playwright knows
// (https://www.w3.org/TR/wai-aria-1.2/#role_definitions).
var ariaRoles = wordSet(`alert alertdialog application article banner blockquote button caption cell
	checkbox code columnheader combobox complementary contentinfo definition deletion dialog directory
	document emphasis feed figure form generic grid gridcell group heading img insertion link list listbox
	listitem log main marquee math menu menubar menuitem menuitemcheckbox menuitemradio meter navigation
	none note option paragraph presentation progressbar radio radiogroup region row rowgroup rowheader
	scrollbar search searchbox separator slider spinbutton status strong subscript superscript switch tab
	table tablist tabpanel term textbox time timer toolbar tooltip tree treegrid treeitem`)

func wordSet(words string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(words) {
		set[w] = true
	}
	return set
}

func isRole(name string) bool { return ariaRoles[name] }
