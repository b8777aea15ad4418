import { InvalidMjmlError, isMjml, checkMjml } from '../../src/rendering/mjml.js';

describe('isMjml', () => {
  it.each([
    '<mjml>',
    '<MJML lang="en">',
    '\ufeff \r\n<mjml/>',
    '<?xml version="1.0"?><!-- a > b --><!DOCTYPE mjml>\n<mjml\n>',
    '<!---->  <mjml></mjml>',
  ])('recognizes %j', (source) => expect(isMjml(source)).toBe(true));

  it.each([
    '',
    'mjml',
    '<mjmlx>',
    '<html><mjml>',
    'x<mjml>',
    '<!--<mjml>-->',
    '<!-- <mjml>',
    '<?',
    '</mjml>',
    '< mjml>',
    '<mjml'.slice(0, 4),
  ])('does not recognize %j', (source) => expect(isMjml(source)).toBe(false));
});

describe('checkMjml', () => {
  it('names the line of the first include', () => {
    const source = '<mjml>\n<!-- <mj-include path="a"/> -->\n<mj-body>\n<MJ-Include path="/etc/passwd"/>';
    expect(() => checkMjml(source)).toThrow(new InvalidMjmlError('line 4: mj-include is not allowed'));
  });

  it.each(['<mj-included/>', '<p title="<mj-include>">', '<!--<mj-include>', 'mj-include'])('accepts %s', (source) => {
    expect(() => checkMjml(source)).not.toThrow();
  });
});
