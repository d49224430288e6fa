// The few calls of Microsoft.Playwright that the example's tests use, sent to
// server.js: Debian has neither .NET nor its Playwright.
using System;
using System.Collections.Generic;
using System.Collections.Specialized;
using System.Diagnostics;
using System.IO;
using System.Linq;
using System.Net;
using System.Text;
using System.Threading.Tasks;
using NUnit.Framework;

namespace Microsoft.Playwright
{
    public class BrowserNewPageOptions
    {
        public string BaseURL { get; set; }
    }

    public interface IPlaywright
    {
        IBrowserType Chromium { get; }
    }

    public interface IBrowserType
    {
        Task<IBrowser> LaunchAsync();
    }

    public interface IBrowser
    {
        Task<IPage> NewPageAsync(BrowserNewPageOptions options);
    }

    public interface IPage
    {
        Task GotoAsync(string url);
        ILocator Locator(string selector);
    }

    public interface ILocator
    {
        Task ClickAsync();
        Task FillAsync(string value);
        Task<string> InnerTextAsync();
    }

    public class Playwright : IPlaywright, IBrowserType, IBrowser
    {
        public static Task<IPlaywright> CreateAsync() { return Task.FromResult<IPlaywright>(new Playwright()); }

        public IBrowserType Chromium { get { return this; } }

        public Task<IBrowser> LaunchAsync() { return Task.FromResult<IBrowser>(this); }

        public Task<IPage> NewPageAsync(BrowserNewPageOptions options)
        {
            return Task.FromResult<IPage>(new Page { Id = Driver.Call("open") });
        }
    }

    class Page : IPage
    {
        public string Id;

        public Task GotoAsync(string url)
        {
            return Task.FromResult(Driver.Call("goto", "page", Id, "url", url));
        }

        public ILocator Locator(string selector)
        {
            return new PageLocator { Page = Id, Selector = selector, Site = new StackTrace(1, true).GetFrame(0) };
        }
    }

    class PageLocator : ILocator
    {
        public string Page;
        public string Selector;
        public StackFrame Site;

        public Task ClickAsync() { return Act("click"); }

        public Task FillAsync(string value) { return Act("fill", "value", value); }

        public Task<string> InnerTextAsync()
        {
            return Task.FromResult(Driver.Call("read", "page", Page, "selector", Selector, "what", "innerText"));
        }

        Task Act(string action, params string[] more)
        {
            string file = Site.GetFileName();
            string name = TestContext.CurrentContext.Test.FullName;
            int dot = name.LastIndexOf('.');
            var fields = new List<string> {
                "page", Page, "selector", Selector, "action", action, "runner", "nunit",
                "test", name.Substring(0, dot) + " › " + name.Substring(dot + 1),
                "file", file.Substring(file.IndexOf("csharp", StringComparison.Ordinal)), "line", Site.GetFileLineNumber().ToString(),
            };
            return Task.FromResult(Driver.Call("act", fields.Concat(more).ToArray()));
        }
    }

    static class Driver
    {
        public static string Call(string verb, params string[] fields)
        {
            var form = new NameValueCollection();
            for (int i = 0; i < fields.Length; i += 2)
            {
                form.Add(fields[i], fields[i + 1]);
            }
            string url = Environment.GetEnvironmentVariable("SHOP_URL") + "/driver/" + verb;
            try
            {
                return Encoding.UTF8.GetString(new WebClient().UploadValues(url, form));
            }
            catch (WebException fault)
            {
                throw new Exception(new StreamReader(fault.Response.GetResponseStream()).ReadToEnd());
            }
        }
    }
}
