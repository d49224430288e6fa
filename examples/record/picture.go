//go:build ignore

// Command picture reads a comment's Markdown and writes an HTML page that shows
// it as GitHub does, with the first diff open. See examples/picture.sh.
package main

import (
	"bytes"
	"fmt"
	"io"
	"log"
	"os"
	"regexp"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/renderer/html"
)

func main() {
	source, err := io.ReadAll(os.Stdin)
	if err != nil {
		log.Fatal(err)
	}
	var body bytes.Buffer
	markdown := goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithRendererOptions(html.WithUnsafe()))
	if err := markdown.Convert(source, &body); err != nil {
		log.Fatal(err)
	}
	text := diffBlock.ReplaceAllStringFunc(body.String(), colour)
	text = strings.Replace(text, "<details>\n<summary>Diff of", "<details open>\n<summary>Diff of", 1)
	fmt.Printf(page, style, text)
}

var diffBlock = regexp.MustCompile(`(?s)<code class="language-diff">.*?</code>`)

// colour sets the lines of a diff as GitHub does.
func colour(block string) string {
	lines := strings.Split(block, "\n")
	for i, line := range lines {
		lead := ""
		if i == 0 {
			lead, line = line[:strings.IndexByte(line, '>')+1], line[strings.IndexByte(line, '>')+1:]
		}
		for mark, class := range map[string]string{"+": "plus", "-": "minus", "@": "hunk"} {
			if strings.HasPrefix(line, mark) {
				line = `<span class="` + class + `">` + line + `</span>`
				break
			}
		}
		lines[i] = lead + line
	}
	return strings.Join(lines, "\n")
}

const page = `<!doctype html><meta charset="utf-8"><style>%s</style>
<div class="avatar"><i></i></div>
<article><header><b>github-actions</b> <span>bot</span> commented 2 minutes ago</header><section>
%s</section></article>
<script>document.body.dataset.height = Math.ceil(document.body.getBoundingClientRect().height)</script>
`

const style = `
* { box-sizing: border-box }
html { background: #fff }
body { margin: 0; padding: 22px 20px 22px 80px; position: relative; font: 14px/1.5 "Noto Sans", sans-serif, "Noto Color Emoji"; color: #1f2328 }
.avatar { position: absolute; left: 22px; top: 22px; width: 40px; height: 40px; border-radius: 50%; background: #24292f }
.avatar i { position: absolute; left: 15px; top: 12px; border: 8px solid transparent; border-left: 13px solid #fff; border-right: 0 }
article { border: 1px solid #d0d7de; border-radius: 6px }
header { background: #f6f8fa; border-bottom: 1px solid #d0d7de; border-radius: 6px 6px 0 0; padding: 8px 16px; color: #59636e }
header b { color: #1f2328; font-weight: 600 }
header span { border: 1px solid #d0d7de; border-radius: 2em; padding: 0 7px; font-size: 12px; margin: 0 4px }
section { padding: 16px }
section > :first-child { margin-top: 0 }
section > :last-child { margin-bottom: 0 }
h3, h4 { margin: 22px 0 14px; line-height: 1.25; font-weight: 600 }
h3 { font-size: 17.5px }
h4 { font-size: 14px }
p, ul, pre, table, details { margin: 0 0 14px }
ul { padding-left: 28px }
a { color: #0969da; text-decoration: none }
code { font: 11.9px "Liberation Mono", monospace; background: #818b981f; border-radius: 6px; padding: 2.4px 4.8px }
pre { background: #f6f8fa; border-radius: 6px; padding: 14px; font: 11.9px/1.45 "Liberation Mono", monospace; overflow: hidden }
strong code { font-weight: 600 }
pre code { background: none; padding: 0; font: inherit }
table { border-collapse: collapse; width: 100% }
th, td { border: 1px solid #d0d7de; padding: 6px 13px }
th { font-weight: 600 }
tbody tr:nth-child(even) { background: #f6f8fa }
summary { margin-bottom: 6px }
.plus { color: #116329; background: #dafbe1 }
.minus { color: #82071e; background: #ffebe9 }
.hunk { color: #8250df; font-weight: 600 }
`
