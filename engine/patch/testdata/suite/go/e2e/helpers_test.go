package e2e

func dismissTour(page playwright.Page) {
	page.GetByText("Skip tour").Click()
}
