import { listMarker } from '../../../src/rendering/text-part/list-markers.js';

it.each([
  ['1', [1, 9, 10], ['1', '9', '10']],
  ['a', [1, 26, 27, 52, 53, 702, 703], ['a', 'z', 'aa', 'az', 'ba', 'zz', 'aaa']],
  ['A', [2, 28], ['B', 'AB']],
  ['i', [1, 4, 5, 9, 40, 90, 399, 944], ['i', 'iv', 'v', 'ix', 'xl', 'xc', 'cccxcix', 'cmxliv']],
  ['I', [1994, 3999], ['MCMXCIV', 'MMMCMXCIX']],
  ['disc', [3], ['3']],
])('numbers of the type %s', (type, numbers, markers) => {
  expect(numbers.map((number) => listMarker(number, type))).toEqual(markers);
});

it('numbers that a type cannot show are written in digits', () => {
  expect([0, -3].map((number) => listMarker(number, 'a'))).toEqual(['0', '-3']);
  expect([0, -3, 4000].map((number) => listMarker(number, 'i'))).toEqual(['0', '-3', '4000']);
});
