import { Injectable } from '@nestjs/common';
import { Database } from '../platform/database/database.js';
import { SecretBox } from '../platform/encryption/secret-box.js';
import { generateDkimKey } from './dkim-keys.js';
import type { DomainRow } from './domain-row.js';

/** The public parts of a DKIM key, which the owner of the domain publishes. */
export type PublishedKey = Pick<DomainRow, 'dkim_selector' | 'dkim_public_key'>;

/**
 * Generates the DKIM keys of domains, one at a time. Each generation occupies a libuv thread, and the few threads also
 * sign mail and resolve names.
 */
@Injectable()
export class DkimKeyGenerator {
  private last: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly database: Database,
    private readonly box: SecretBox,
  ) {}

  /** Returns the key of the domain and generates one if it has none. Undefined when the domain was deleted. */
  generate(domainId: string): Promise<PublishedKey | undefined> {
    const generated = this.last.then(() => this.generateNow(domainId));
    this.last = generated.catch(() => undefined);
    return generated;
  }

  private async generateNow(domainId: string): Promise<PublishedKey | undefined> {
    const key = await generateDkimKey(this.box, domainId);
    const [row] = await this.database.query<PublishedKey>(
      `update sending_domains
          set dkim_selector = coalesce(dkim_selector, $2), dkim_public_key = coalesce(dkim_public_key, $3),
              sealed_dkim_key = coalesce(sealed_dkim_key, $4)
        where id = $1 returning dkim_selector, dkim_public_key`,
      [domainId, key.selector, key.publicKey, key.sealed],
    );
    return row;
  }
}
