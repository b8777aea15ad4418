import { readSettings } from '../../src/platform/config/settings.js';
import { createProvider, providerEntries } from '../../src/providers/registry.js';

const clock = { now: () => 0 };

it.each([
  ['smtp', {}],
  ['sendgrid', { SENDGRID_API_KEY: 'SG.key' }],
])('DELIVERY_PROVIDER=%s leads to one provider of this name', async (name, environment) => {
  const settings = readSettings({ DELIVERY_PROVIDER: name, ...environment });
  const [entry, ...others] = providerEntries(settings, 'smtp://127.0.0.1:1');
  const provider = createProvider(entry!, settings, clock);
  expect([entry!.id, provider.name, others]).toEqual([name, name, []]);
  await provider.close();
});
