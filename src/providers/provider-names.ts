import type { Settings } from '../platform/config/settings.js';

type ProviderName = Settings['DELIVERY_PROVIDER'];

/** Without loading their libraries. */
const known: Readonly<Record<ProviderName, true>> = { smtp: true, sendgrid: true };

/** The names of all providers. */
export const PROVIDER_NAMES = Object.keys(known) as ProviderName[];
