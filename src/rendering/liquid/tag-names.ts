/** Tags that begin a block, which a tag `end…` ends. */
export const BLOCK_TAGS: ReadonlySet<string> = new Set(['if', 'unless', 'case', 'for', 'tablerow', 'capture']);

/** Tags that show a value, as `{{ name }}` does. */
export const OUTPUT_TAGS: ReadonlySet<string> = new Set(['echo', 'cycle']);
