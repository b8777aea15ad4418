/** A key that signs tracking IDs and link tokens. Its id is one byte and travels in every token. */
export interface SigningKey {
  readonly id: number;
  readonly secret: Buffer;
}

/**
 * The keys a process knows. The newest signs new emails; all of them keep reading what they once signed,
 * so that rotation never breaks a link in old mail. Links of an email are signed with the key of its
 * tracking ID, so that rendering it again gives the same bytes whatever key is newest by then.
 */
export class SigningKeys {
  private readonly byId: ReadonlyMap<number, SigningKey>;

  /** @param keys at least one, oldest first */
  constructor(keys: readonly SigningKey[]) {
    if (keys.length === 0) throw new Error('At least one signing key is needed');
    this.byId = new Map(keys.map((key) => [key.id, key]));
    this.newest = keys[keys.length - 1]!;
  }

  readonly newest: SigningKey;

  find(id: number): SigningKey | undefined {
    return this.byId.get(id);
  }
}
