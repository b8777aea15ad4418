import type { Contact, ContactDetail, ErasureProgress, PersonExport } from './api-types.js';
import { listOf } from './list-of.js';
import type { Pages } from './pages.js';
import { path } from './path.js';
import type { Query } from './query.js';
import type { CallOptions } from './call.js';
import type { Transport } from './transport.js';
import { FILE_TIMEOUT_MS } from './upload.js';

/** `client.contacts` */
export class Contacts {
  readonly #transport: Transport;

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Contacts by most recent activity. */
  list(query?: Query<'listContacts'>, options?: CallOptions): Pages<Contact> {
    return listOf(this.#transport, { path: '/api/contacts', query, options }, (body: Contact[]) => body);
  }

  get(email: string, options?: CallOptions): Promise<ContactDetail> {
    return this.#transport.json({ method: 'GET', path: path`/api/contacts/${email}`, options });
  }

  /** Everything that is stored about a person. */
  export(email: string, options?: CallOptions): Promise<PersonExport> {
    return this.#transport.json({
      method: 'GET',
      path: path`/api/contacts/${email}/export`,
      timeoutMs: FILE_TIMEOUT_MS,
      options,
    });
  }

  /** Erases a person. @returns undefined once nothing is left; otherwise the rest continues in the background */
  erase(email: string, options?: CallOptions): Promise<ErasureProgress | undefined> {
    return this.#transport.json({ method: 'DELETE', path: path`/api/contacts/${email}`, options });
  }
}
