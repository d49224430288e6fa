// Package pages holds the page objects; #in-comment was one.
package pages

import "github.com/playwright-community/playwright-go"

const (
	avatar          = "img.avatar"
	Nickname        = `input[name="nick"]`
	logged   string = "#logged"
)

var menu = map[string]string{
	"home": "#menu-home",
}

type Profile struct {
	page playwright.Page
	save playwright.Locator
}

func NewProfile(page playwright.Page) *Profile {
	return &Profile{page: page, save: page.GetByTestId("save-profile")}
}

func (p *Profile) Rename(name string) error {
	if err := p.page.Locator(avatar).Click(); err != nil {
		return err
	}
	note(logged)
	p.page.Locator(logged).Click()
	p.page.Locator(fmt.Sprintf("#nick-%s", name)).Click()
	p.page.Locator(menu["home"]).Click()
	return p.page.Locator(Nickname).Fill(name)
}

func (p *Profile) Delete() error {
	dialog := p.page.GetByRole("dialog")
	return dialog.GetByRole("button", playwright.LocatorGetByRoleOptions{
		Name:  "Delete account",
		Exact: playwright.Bool(true),
	}).Click()
}
