const FRAGMENT = 10;

/** Tool arguments of about `count` fragments of 10 characters: a title, and a list that grows with the count. */
export function argumentFragments(count) {
  const items = [];
  let length = 40;
  for (let i = 0; length < count * FRAGMENT - 60; i++) {
    const item = { id: i, name: `item ${i}`, tags: ['x', 'y'], on: i % 2 === 0, v: i * 1.5 };
    length += JSON.stringify(item).length + 1;
    items.push(item);
  }
  const json = JSON.stringify({ title: 'a "quoted" title', items });
  const fragments = [];
  for (let at = 0; at < json.length; at += FRAGMENT) fragments.push(json.slice(at, at + FRAGMENT));
  return { json, fragments };
}
