"""The report as one HTML file, and a page over several reports. Nothing is fetched, no outside text is markup.

    page.to_html(report, today)     one report, with all of its findings
    index.to_html(entries, today)   what is in a folder of reports

Both files stand alone: style and script are inside, and their hashes are all that the page's content security policy
allows. Everything can be read without the script; it filters, copies, and opens what a link leads to.
"""
