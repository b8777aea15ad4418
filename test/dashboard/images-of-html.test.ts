import { mayHaveImages } from '../../packages/dashboard/src/images-of-html.js';

it.each([
  '<img src="https://shop.example/a.png">',
  '<IMG\nSRC=a>',
  '<td background = "https://shop.example/a.png">',
  '<p style="background-image: url(https://shop.example/a.png)">',
  '<style>p { background: URL("https://shop.example/a.png") }</style>',
  '<source srcset="https://shop.example/a.png 2x">',
  '<svg><image href="https://shop.example/a.png" /></svg>',
  '<svg><feImage href="https://shop.example/a.png" /></svg>',
  `<p style="background: image-set('https://shop.example/a.png' 1x)">`,
  '<input type="image" src="https://shop.example/a.png">',
])('%s may load an image', (html) => expect(mayHaveImages(html)).toBe(true));

it.each(['<p>Hello</p>', '<pre>&lt;img src="a"&gt; imagine</pre>', '<p style="color: red">An <b>image</b></p>', ''])(
  '%s loads none',
  (html) => expect(mayHaveImages(html)).toBe(false),
);
