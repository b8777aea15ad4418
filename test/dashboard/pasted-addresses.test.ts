import { pastedAddresses } from '../../packages/dashboard/src/pasted-addresses.js';

const [ADA, BOB, CY] = ['ada@example.com', 'bob@example.com', 'cy@example.com'];

describe('pasted addresses', () => {
  it.each([
    ['commas', `${ADA}, ${BOB},${CY},`],
    ['semicolons', `${ADA}; ${BOB};${CY}`],
    ['spaces', `${ADA} ${BOB}   ${CY} `],
    ['tabs', `${ADA}\t${BOB}\t${CY}`],
    ['commas and line ends', `${ADA}, ${BOB},\r\n\r\n${CY}\r\n`],
  ])('with %s between them are a list', (_, text) => {
    expect(pastedAddresses(text)).toEqual([ADA, BOB, CY]);
  });

  it('keep their names, which can have separators', () => {
    const [ada, bob] = [`"Lovelace, \\"Ada\\"; x" <${ADA}>`, `Bob Smith <${BOB}>`];
    expect(pastedAddresses(`${ada}, ${bob}; ${CY}`)).toEqual([ada, bob, CY]);
  });

  it('are a list with what is no address, so that it is reported', () => {
    const wrong = ['b ob@example.com', 'bob@@example.com', `"${BOB}`];
    expect(pastedAddresses(`${ADA}, ${wrong[0]};${CY} ${wrong[1]}, ${wrong[2]}`)).toEqual([
      ...[ADA, wrong[0], CY, wrong[1], wrong[2]],
    ]);
  });

  it.each([
    ['nothing', ''],
    ['one address', ADA],
    ['one address per line', `${ADA}\n${BOB}\n`],
    ['one address with a name per line', `Ada Lovelace <${ADA}>\n"Smith, Bob" <${BOB}>\n`],
    ['a table without names of columns', `${ADA},Ada\n${BOB},Bob\n`],
    ['a table', `email,name\n${ADA},Ada\n`],
  ])('are no list: %s', (_, text) => {
    expect(pastedAddresses(text)).toBeUndefined();
  });
});
