import { FORMATS, type DomainRecord } from '../../packages/dashboard/src/record-texts.js';

/** The existing record of a domain, with macros (RFC 7208, 7), and with our part. */
const SPF = 'v=spf1 include:%{i}._ip.%{h}._spf.vendor.example include:mail.example ~all';
const RECORD: DomainRecord = {
  ...{ type: 'TXT', name: 'acme.example', value: SPF, purpose: 'spf' },
  ...{ required: false, found: false, seen: [], advice: null },
};

describe('the texts of a DNS record', () => {
  it('escape for Terraform what would begin a template, such as a macro of SPF', () => {
    const escaped = JSON.stringify(SPF.replaceAll('%{', '%%{'));
    expect(FORMATS['Terraform (Cloudflare)'](RECORD)).toContain(`content = ${escaped}`);
    expect(FORMATS['Terraform (Route 53)'](RECORD)).toContain(`records = [${escaped}]`);
    const text = FORMATS['Terraform (Cloudflare)']({ ...RECORD, value: 'a ${b}' });
    expect(text).toContain('content = "a $${b}"');
  });

  it('are as they are in a zone file', () => {
    expect(FORMATS.BIND(RECORD)).toBe(`acme.example. 3600 IN TXT ${JSON.stringify(SPF)}`);
  });
});
