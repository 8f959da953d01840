// What rooms there are, and what is in one: a page to look at, from what the server tells over HTTP.

const main = document.getElementById("main");
const status = document.getElementById("status");
const roomName = /^[A-Za-z0-9._-]{1,64}$/;

const element = (name, attributes = {}, ...children) => {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
};

const count = (number, one, many) => `${number} ${number === 1 ? one : many}`;

/** Calls `look` every so often while the page is visible, and says so when the server can't be reached. */
const watch = (milliseconds, look) => {
  const again = async () => {
    if (!document.hidden) {
      try {
        await look();
        status.textContent = "";
      } catch {
        status.textContent = "The server can’t be reached. Trying again…";
      }
    }
    setTimeout(again, milliseconds);
  };
  again();
};

const showRooms = () => {
  const input = element("input", { name: "room", placeholder: "Name of a room", "aria-label": "Name of a room", autocomplete: "off", maxlength: "64", pattern: "[A-Za-z0-9._\\-]+" });
  const form = element("form", {}, input, element("button", {}, "Open"));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (roomName.test(input.value)) location.assign(`/r/${input.value}`);
  });
  const words = element("p");
  const list = element("ul");
  main.append(element("h1", {}, "CanvasSync"), words, form, list);
  const cards = new Map();
  watch(2000, async () => {
    const answer = await fetch("/v1/rooms");
    const { rooms } = await answer.json();
    words.textContent = rooms.length ? count(rooms.length, "room", "rooms") : "No rooms yet. A room begins with its first shape.";
    for (const [name, card] of cards) {
      if (rooms.some((room) => room.room === name)) continue;
      card.item.remove();
      cards.delete(name);
    }
    for (const room of rooms) {
      let card = cards.get(room.room);
      if (!card) {
        card = { picture: element("img", { alt: "", loading: "lazy" }), words: element("span") };
        card.item = element("li", {}, element("a", { class: "card", href: `/r/${room.room}` }, card.picture, element("strong", {}, room.room), card.words));
        cards.set(room.room, card);
        list.append(card.item);
      }
      card.words.textContent = `${count(room.shapes, "shape", "shapes")} · ${room.peers ? `${room.peers} here now` : "nobody here"}`;
      if (card.cursor !== room.cursor) card.picture.src = `/v1/rooms/${room.room}/picture.svg?${encodeURIComponent(room.cursor)}`;
      card.cursor = room.cursor;
    }
  });
};

const showRoom = (name) => {
  document.title = `${name} · CanvasSync`;
  const words = element("p");
  const picture = element("img", { alt: `The drawing in ${name}` });
  const figure = element("figure", {}, picture);
  main.classList.add("room");
  main.append(element("header", {}, element("a", { href: "/", "aria-label": "All rooms" }, "←"), element("h1", {}, name), words), figure);
  let tag = "";
  watch(1000, async () => {
    const answer = await fetch(`/v1/rooms/${name}/picture.svg`, { cache: "no-cache" });
    if (answer.status === 404) {
      words.textContent = "Nobody has drawn here yet.";
      figure.hidden = true;
      tag = "";
      return;
    }
    if (!answer.ok) throw new Error(answer.statusText);
    figure.hidden = false;
    words.textContent = "A picture of the room, as it changes.";
    if (answer.headers.get("etag") === tag) return;
    tag = answer.headers.get("etag");
    const old = picture.src;
    picture.src = URL.createObjectURL(await answer.blob());
    if (old) URL.revokeObjectURL(old);
  });
};

const room = decodeURIComponent(location.pathname).match(/^\/r\/([^/]+)$/);
if (room && roomName.test(room[1])) showRoom(room[1]);
else showRooms();
