import { htmlAfterText } from '../../src/rendering/html-after-text.js';

const TEXT = '<div style="white-space: pre-wrap">Hello</div>\n';

it.each([
  ['a style', '<style>/* <body> */</style>'],
  ['a title', '<title>All about <body></title>'],
  ['a script', '<SCRIPT type="a">"<body>"</SCRIPT>'],
  ['a comment', '<!-- <body> -->'],
])('a text is shown in the body, also after %s that mentions its tag', (_, mention) => {
  expect(htmlAfterText('Hello', `<html>${mention}<body class="a">World`)).toBe(
    `<html>${mention}<body class="a">${TEXT}World`,
  );
});

it.each(['<title>never ends <body>', '<style', '<p>World'])(
  'a text comes first before HTML without a body: %s',
  (html) => {
    expect(htmlAfterText('Hello', html)).toBe(`${TEXT}${html}`);
  },
);
