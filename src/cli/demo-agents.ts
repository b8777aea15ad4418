/** The headers with which a program requests a tracking URL. */
export type DemoAgent = Readonly<Record<string, string>>;

const accepts = { accept: '*/*', 'accept-language': 'en-GB,en;q=0.9' };

export const browser: DemoAgent = {
  'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
  ...accepts,
};

/** Gmail, which fetches images when its reader opens the email. */
export const gmail: DemoAgent = {
  'user-agent': 'Mozilla/5.0 (Windows NT 5.1; rv:11.0) Gecko Firefox/11.0 (via ggpht.com GoogleImageProxy)',
};

/** Apple's Mail with its privacy protection, which fetches images whether or not a person reads the mail. */
export const appleMail: DemoAgent = { 'user-agent': 'Mozilla/5.0', ...accepts };

/** A security gateway that loads images and follows links before it delivers an email. */
export const securityScanner: DemoAgent = { 'user-agent': 'Barracuda Sentinel (EE)', accept: '*/*' };
