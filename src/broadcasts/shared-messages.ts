import { Injectable } from '@nestjs/common';
import { Database } from '../platform/database/database.js';
import { BoundedMap } from '../platform/memory/bounded-map.js';
import type { MessageSource } from '../rendering/personalize/message-template.js';

/** How many messages a worker caches; each has at most 5 MB. */
const MAX_CACHED = 8;

/** Reads the messages of broadcasts. They never change, so a worker keeps the latest few. */
@Injectable()
export class SharedMessages {
  private readonly cached = new BoundedMap<string, Promise<MessageSource>>(MAX_CACHED);

  constructor(private readonly database: Database) {}

  async find(id: string): Promise<MessageSource> {
    const known = this.cached.get(id);
    const found = known ?? this.read(id);
    // A use renews it.
    this.cached.set(id, found);
    if (!known) found.catch(() => this.cached.delete(id));
    return found;
  }

  private async read(id: string): Promise<MessageSource> {
    const [message] = await this.database.query<MessageSource & Record<string, unknown>>(
      'select subject, html, text from messages where id = $1',
      [id],
    );
    if (!message) throw new Error('The message of a broadcast is gone');
    return message;
  }
}
