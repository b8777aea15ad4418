/** An event as stored in Postgres or the event store. */
export interface ComparedEvent {
  readonly id: string;
  /** Everything else that both store, as one text. */
  readonly content: string;
}

/** The merged events of the event store, and the number of rows in its table after all merges. */
export interface StoreContents {
  readonly events: readonly ComparedEvent[];
  readonly rows: number;
}

const SHOWN = 3;

/**
 * L8: the event store has each event of Postgres once, with the same content, and no other.
 * @param postgres every event, sum and report that the store must have
 */
export function* eventStoreMatchesPostgres(postgres: readonly ComparedEvent[], store: StoreContents): Iterable<string> {
  const [expected, found] = [contentById(postgres), contentById(store.events)];
  const missing = [...expected.keys()].filter((id) => !found.has(id));
  const unknown = [...found.keys()].filter((id) => !expected.has(id));
  const changed = [...expected].filter(([id, content]) => found.has(id) && found.get(id) !== content);
  if (missing.length > 0) yield `L8: the store lacks ${missing.length} of ${expected.size} events: ${listed(missing)}`;
  if (unknown.length > 0) yield `L8: only the store has ${unknown.length} events: ${listed(unknown)}`;
  for (const [id, content] of changed.slice(0, SHOWN)) {
    yield `L8: the store has ${id} as "${found.get(id)}", Postgres as "${content}"`;
  }
  if (changed.length > SHOWN) yield `L8: the store has ${changed.length} events as something else`;
  if (store.events.length > found.size) yield `L8: the store returns ${store.events.length - found.size} events twice`;
  if (store.rows > found.size) yield `L8: the store keeps ${store.rows} rows for ${found.size} events after merges`;
}

function contentById(events: readonly ComparedEvent[]): ReadonlyMap<string, string> {
  return new Map(events.map(({ id, content }) => [id, content]));
}

function listed(ids: readonly string[]): string {
  return ids.slice(0, SHOWN).join(', ') + (ids.length > SHOWN ? ', …' : '');
}
