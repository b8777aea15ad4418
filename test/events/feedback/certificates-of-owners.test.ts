import { CertificatesOfOwners } from '../../../src/events/feedback/ses/certificates-of-owners.js';
import { SnsSigner } from '../../support/sns-calls.js';

const at = (number: number) => new URL(`https://sns.eu-west-1.amazonaws.com/${number}.pem`);

it('an organization that names many addresses as certificates uses up the fetches of nobody else', async () => {
  const { certificate } = await SnsSigner.create();
  const fetched: string[] = [];
  const fetch = (url: URL) => {
    fetched.push(url.pathname);
    return fetched.length > 20 ? Promise.resolve(certificate) : Promise.reject(new Error('404'));
  };
  const certificates = new CertificatesOfOwners(fetch, { now: () => 1_000_000 });
  for (let number = 1; number < 100; number++) await certificates.keyOf(at(number), 'loud');
  expect(fetched).toHaveLength(20);
  expect(await certificates.keyOf(at(200), 'loud')).toBeUndefined();
  // Nor does its failure at an address count for others.
  expect(await certificates.keyOf(at(1), 'quiet')).toBeDefined();
  expect(await certificates.keyOf(at(1), undefined)).toBeDefined();
});
