import { providerEntries } from '../../src/platform/config/provider-entries.js';
import { readSettings } from '../../src/platform/config/settings.js';
import { createDeliveryProvider } from '../../src/providers/registry.js';

const clock = { now: () => 0 };

it.each([
  ['smtp', { SMTP_URL: 'smtp://127.0.0.1:1' }],
  ['sendgrid', { SENDGRID_API_KEY: 'SG.key' }],
])('DELIVERY_PROVIDER=%s leads to one provider of this name', async (name, environment) => {
  const settings = readSettings({ DELIVERY_PROVIDER: name, ...environment });
  const [entry, ...others] = providerEntries(settings);
  const provider = createDeliveryProvider(entry!, { settings, clock });
  expect([entry!.id, provider.name, others]).toEqual([name, name, []]);
  await provider.close();
});
