import type { Logger } from '../platform/logging/logger.js';
import type { JobProducer } from '../platform/queue/job-producer.js';

/** The sweep claims the rest, because it finds every due delivery anyway. */
const MAX_WAKES = 100;

/**
 * Adds jobs that attempt the deliveries now. A failure loses nothing, because the rows are due and the
 * sweep finds them.
 */
export async function wakeWebhookDeliveries(
  producer: JobProducer,
  logger: Logger,
  ids: readonly string[],
): Promise<void> {
  const jobs = ids.slice(0, MAX_WAKES).map((id) => ({ payload: { deliveryId: id }, jobId: `webhook-${id}` }));
  try {
    await producer.addAll('deliver-webhook', jobs);
  } catch (error) {
    logger.warn({ err: error }, 'Webhook jobs could not be added to Redis; the sweep finds their rows');
  }
}
