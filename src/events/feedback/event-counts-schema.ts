import { integer, object } from '../../platform/openapi/schemas.js';
import type { ProviderEventCounts } from './provider-events.js';

/** What a call with events of a provider gets. */
export const eventCounts = object<ProviderEventCounts>('ProviderEventCounts', 'Result of a call', {
  stored: integer('Events about recipients', 480),
  ignored: integer('Events that contain nothing new, are about other mail, or are invalid', 20),
});
