/** The destinations in each email of the fixtures, collected by hand. */
export const EMAIL_LINKS: Readonly<Record<string, readonly string[]>> = {
  'hybrid-tables': [
    'https://harbourcoffee.test/?utm_source=newsletter&utm_medium=email&utm_campaign=may',
    'https://harbourcoffee.test/beans/santa-rosa?ref=a&size=250g#order',
    'https://harbourcoffee.test/beans/cerro-azul?ref=b&size=250g#order',
  ],
  'mso-ghost-tables': [
    'https://northline.test/routes/12',
    'https://northline.test/outlook?from=routes&to=fares',
    'https://northline.test/fares?zone=A&zone=B',
    'https://northline.test/map/interactive',
    'https://northline.test/app',
  ],
  'vml-buttons': [
    'https://tickets.test/confirm?order=77120&seat=F14',
    'https://tickets.test/confirm?order=77120&seat=F14',
    'https://tickets.test/hall/plan',
    'https://tickets.test/map?hall=2',
    'https://tickets.test/hall/left',
    'https://tickets.test/hall/right',
  ],
  'amp-like': [
    'https://walks.test/coast',
    'https://walks.test/moor',
    'https://walks.test/walk/{{id}}?lang={{lang}}',
    'https://walks.test/noscript',
    'https://walks.test/icon',
    'https://walks.test/all?from=amp',
  ],
  'gmail-forward': [
    'https://ledger.test/2027/05/rates?a=1&b=2',
    'https://ledger.test/2027/04/rates/',
    'http://www.ledger.test/archive?q=%22bank%20holiday%22&page=2',
    'https://click.other-tracker.test/ls/click?upn=u001.abc-def_ghi~1',
  ],
  'right-to-left': [
    'https://مكتبة.test/كتب/جديد?ترتيب=سعر',
    'https://library.test/%D9%83%D8%AA%D8%A8?lang=ar&sort=%D8%B3%D8%B9%D8%B1#أعلى',
    'https://library.test/en/new',
    'https://ספריה.test/',
    'https://library.test/ur/نئی',
    'https://例え.test/図書館',
    'https://bücher.test/straße',
    'https://library.test/😀?x=é',
  ],
  'base64-images': [
    'https://prints.test/pickup?store=9&order=5521',
    'https://prints.test/album/5521',
    'https://prints.test/paper?type=matte',
  ],
  placeholders: [
    'https://club.test/{{ page }}?member={{id}}&from=mail',
    'https://club.test/hello/*|FNAME|*',
    'https://club.test/settings',
    'https://club.test/?a=<% x %>&b=2',
  ],
  'clipped-size': springList(),
};

function springList(): string[] {
  const names = 'walnut linen copper juniper slate amber willow cobalt fern garnet hazel indigo'.split(' ');
  const kinds = 'lamp chair bowl shelf rug mirror vase bench'.split(' ');
  const products = Array.from({ length: 107 }, (_, index) => [
    `https://homewares.test/${kinds[(index * 5) % 8]}s/${names[index % 12]}-${index}?list=spring&pos=${index}`,
    `https://homewares.test/cart/add?item=${1000 + index}&quantity=1`,
  ]);
  return [...products.flat(), 'https://homewares.test/unsubscribe?id=4e1f'];
}
