/** A key that signs tracking IDs and link tokens. Its ID is one byte, contained in every token. */
export interface SigningKey {
  readonly id: number;
  readonly secret: Buffer;
}

/**
 * The keys that a process knows. The newest key signs new emails. All keys stay valid for reading, so that a rotation
 * never breaks links in old mail. The key of an email's tracking ID also signs its links, so that rendering the email
 * again gives the same bytes.
 */
export class SigningKeys {
  private readonly byId: ReadonlyMap<number, SigningKey>;

  /** @param keys at least one, oldest first */
  constructor(keys: readonly SigningKey[]) {
    if (keys.length === 0) throw new Error('At least one signing key is required');
    this.byId = new Map(keys.map((key) => [key.id, key]));
    this.newest = keys[keys.length - 1]!;
  }

  readonly newest: SigningKey;

  get all(): readonly SigningKey[] {
    return [...this.byId.values()];
  }

  find(id: number): SigningKey | undefined {
    return this.byId.get(id);
  }
}
