import type { Database } from '../../src/platform/database/database.js';
import { eventually } from './eventually.js';

/** Resolves when the broadcast has taken its next step, as if the time until it had passed. */
export async function takeStep(database: Database, broadcastId: string): Promise<void> {
  const [due] = await database.query<{ at: Date }>(
    'update broadcasts set step_at = now() where id = $1 returning step_at as at',
    [broadcastId],
  );
  await eventually(async () => {
    const [next] = await database.query<{ at: Date }>('select step_at as at from broadcasts where id = $1', [
      broadcastId,
    ]);
    return next!.at > due!.at;
  });
}
