/* See tui.h: a key, what it does, the screen; until the user quits. */
#include "tui/tui.h"

#include "tui/browser.h"
#include "tui/screen.h"

static void follow_keys(struct browser *browser)
{
	struct browser_screen screen = {0};
	int key, width, height;

	do {
		screen_size(&width, &height);
		browser_resize(browser, width, height);
		browser_draw(browser, &screen);
		screen_show(&screen);
		if (!screen_key(&key))
			break;
		if (key != TUI_KEY_REDRAW)
			browser_press(browser, key);
	} while (!browser->has_quit);
	browser_screen_fini(&screen);
}

bool tui_run(const struct tui_options *options, struct error *err)
{
	struct browser browser = {0};

	bool ok = browser_open(&browser, options, err);
	if (ok && (ok = screen_open(options->report->color, err))) {
		int width, height;
		screen_size(&width, &height);
		browser_resize(&browser, width, height);
		browser.announce = screen_show;
		ok = browser_begin(&browser, err);
		if (ok)
			follow_keys(&browser);
		screen_close();
	}
	browser_close(&browser);
	return ok;
}
