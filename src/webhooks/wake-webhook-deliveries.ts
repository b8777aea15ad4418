import type { Logger } from '../platform/logging/logger.js';
import type { JobProducer } from '../platform/queue/job-producer.js';

/** A flood is left to the sweep, which takes everything that is due anyway. */
const MOST_WAKES = 100;

/** Has deliveries attempted at once. Nothing is lost when it fails: their rows say that they are due. */
export async function wakeWebhookDeliveries(
  producer: JobProducer,
  logger: Logger,
  ids: readonly string[],
): Promise<void> {
  const jobs = ids.slice(0, MOST_WAKES).map((id) => ({ payload: { deliveryId: id }, jobId: `webhook-${id}` }));
  try {
    await producer.addAll('deliver-webhook', jobs);
  } catch (error) {
    logger.warn({ err: error }, 'Redis did not take the webhook jobs; the sweep finds their rows');
  }
}
