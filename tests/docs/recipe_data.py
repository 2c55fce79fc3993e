# SPDX-License-Identifier: Apache-2.0
"""Small data for the recipes of docs/recipes, drawn by a fixed seed. Each page has a function of its name, which writes
the files that the page begins with into the current folder."""
import math
import pathlib
import random


def write(name, lines):
    pathlib.Path(name).write_text("\n".join(lines) + "\n", encoding="utf-8")


def chance(x):
    return 1 / (1 + math.exp(-x))


def click_logs():
    """Five days of impressions. Sites, devices and some pairs of both matter; ads come and go."""
    draw = random.Random(1)
    sites = {f"site{k}": draw.gauss(0, 1.2) for k in range(60)}
    devices = {"phone": 0.4, "tablet": 0.0, "desktop": -0.4}
    pairs = {(site, device): draw.gauss(0, 0.8) for site in sites for device in devices}
    ads = [draw.gauss(0, 1.0) for _ in range(50)]
    for day in range(1, 6):
        lines = ["id,time,site,device,ad,price,click"]
        for row in range(6000):
            site, device = draw.choice(list(sites)), draw.choice(list(devices))
            ad, price, hour = 5 * day + draw.randrange(25), draw.expovariate(0.5), draw.randrange(24)
            margin = sites[site] + devices[device] + pairs[site, device] + ads[ad] - 0.3 * price - 1.0
            shown = f"{price:.2f}" if draw.random() < 0.9 else ""
            click = int(draw.random() < chance(margin))
            lines.append(f"{day}-{row},2026-11-{day:02d} {hour:02d}:{draw.randrange(60):02d},{site},{device},ad{ad},{shown},{click}")
        write(f"day{day}.csv", lines)


TOPICS = {
    "billing": "invoice charged refund card payment receipt twice amount".split(),
    "delivery": "parcel late courier address tracking arrived damaged box".split(),
    "login": "password reset account locked code email sign link".split(),
    "returns": "size exchange return label wrong colour fit store".split(),
}
COMMON = "please help i my the is was it not and order again still you can today since yesterday".split()


def text_classification():
    """Tickets of four topics. Words of one topic occur in others, too."""
    draw = random.Random(2)

    def ticket():
        topic = draw.choice(list(TOPICS))
        words = [draw.choice(TOPICS[topic] if draw.random() < 0.85 else TOPICS[draw.choice(list(TOPICS))])
                 for _ in range(draw.randint(1, 4))] + [draw.choice(COMMON) for _ in range(draw.randint(2, 8))]
        draw.shuffle(words)
        return f"__label__{topic} {' '.join(words)}"

    write("tickets.txt", [ticket() for _ in range(4000)])
    write("later.txt", [ticket() for _ in range(1000)])
    write("new.txt", ["my parcel is late", "password reset code not arrived"])


def ratings():
    """Ratings of films by people whose tastes have two dimensions, in the order of time."""
    draw = random.Random(3)
    users = {f"user{k}": [draw.gauss(0, 0.6) for _ in range(3)] for k in range(300)}
    films = {f"film {k}": [draw.gauss(0, 0.6) for _ in range(3)] for k in range(80)}

    def rating(user, film):
        u, f = users[user], films[film]
        return min(5, max(1, round(3.4 + u[0] + f[0] + 1.6 * (u[1] * f[1] + u[2] * f[2]) + draw.gauss(0, 0.3))))

    pairs = [(user, film) for user in users for film in draw.sample(list(films), 40)]
    draw.shuffle(pairs)
    lines = [f"{user}\t{film}\t{rating(user, film)}" for user, film in pairs]
    write("ratings.tsv", lines[:10000])
    write("later.tsv", lines[10000:])


def extreme_labels():
    """Articles with one to four of 400 tags. A tag has words of its own, and often comes with its neighbour."""
    draw = random.Random(4)

    def article():
        first = min(int(draw.expovariate(0.02)), 398)
        tags = {first} | ({first + 1} if draw.random() < 0.5 else set()) | ({draw.randrange(400)} if draw.random() < 0.3 else set())
        words = [f"w{tag * 3 + draw.randrange(5)}" for tag in tags for _ in range(4)] + [f"c{draw.randrange(300)}" for _ in range(4)]
        draw.shuffle(words)
        return " ".join([f"__label__tag{tag}" for tag in sorted(tags)] + words)

    write("articles.txt", [article() for _ in range(12000)])
    write("later.txt", [article() for _ in range(2000)])


def from_vowpal_wabbit():
    """Rows as Vowpal Wabbit reads them: a user, an item, and numbers."""
    draw = random.Random(5)
    users, items = ([draw.gauss(0, 1) for _ in range(count)] for count in (100, 40))
    both = {(u, i): draw.gauss(0, 1.5) for u in range(100) for i in range(40)}

    def row():
        user, item, age = draw.randrange(100), draw.randrange(40), draw.randint(18, 80)
        label = 1 if draw.random() < chance(users[user] + items[item] + both[user, item]) else -1
        return f"{label} {draw.choice(['1', '0.5'])} |user u{user} age:{age / 80:.3f} |item i{item}"

    write("train.vw", [row() for _ in range(20000)])
    write("test.vw", [row() for _ in range(4000)])
