import { lastSegment } from '../../packages/dashboard/src/last-segment.js';

describe('the last segment of the path of a page', () => {
  it.each(['50%off@example.com', 'a%41b@example.com', 'a/b@example.com', 'Ådå@example.com'])(
    'is decoded once: %s',
    (address) => {
      const { pathname } = new URL(`/contacts/${encodeURIComponent(address)}`, 'https://mail.acme.example');
      expect(lastSegment(pathname)).toBe(address);
    },
  );

  it('is taken as it is if it cannot be decoded', () => {
    expect(lastSegment('/contacts/50%off@example.com')).toBe('50%off@example.com');
  });
});
