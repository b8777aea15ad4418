/** One page of a list. */
export interface Page<Item> {
  readonly items: Item[];
  /** Start of the next page; absent on the last one. */
  readonly nextCursor?: string;
}

/** A list that loads its pages as they are needed. `for await (const item of list)` iterates over all items. */
export class Pages<Item> implements AsyncIterable<Item> {
  readonly #load: (cursor?: string) => Promise<Page<Item>>;

  /** @internal */
  constructor(load: (cursor?: string) => Promise<Page<Item>>) {
    this.#load = load;
  }

  /** The first page, or the page at the `cursor` with which the list was requested. */
  first(): Promise<Page<Item>> {
    return this.#load();
  }

  /** All pages, one after the other. */
  async *pages(): AsyncGenerator<Page<Item>, void> {
    let page = await this.#load();
    yield page;
    while (page.nextCursor !== undefined) {
      page = await this.#load(page.nextCursor);
      yield page;
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void> {
    for await (const { items } of this.pages()) yield* items;
  }
}

/** The query of a page that a Link header names (RFC 8288). @param rel as in `next` */
export function linkedQuery(header: string | null, rel: string): URLSearchParams | undefined {
  for (const [, target, relation] of (header ?? '').matchAll(/<([^<>]*)>;\s*rel="([^"]*)"/g))
    if (relation === rel) return new URLSearchParams(target!.slice(target!.indexOf('?')));
  return undefined;
}
