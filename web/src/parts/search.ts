// What a search text means: a part of a name in any case, or /a regular expression/.

export type Matcher = (text: string) => boolean;

/** null: no search. A regular expression that is none yet matches nothing. */
export function makeMatcher(query: string): Matcher | null {
	const text = query.trim();
	if (!text)
		return null;
	if (text.startsWith('/')) {
		const body = text.slice(1).replace(/\/$/, '');
		try {
			const pattern = new RegExp(body, 'iu');
			return (candidate) => pattern.test(candidate);
		} catch {
			return () => false;
		}
	}
	const small = text.toLowerCase();
	return (candidate) => candidate.toLowerCase().includes(small);
}
