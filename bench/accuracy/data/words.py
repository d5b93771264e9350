"""Classes, dictionaries, generators, strings, sorting and exceptions, as often as the argument says."""
import collections
import sys


class Account:
    def __init__(self, name):
        self.name = name
        self.amounts = []

    def add(self, amount):
        if amount % 97 == 0:
            raise ValueError(self.name)
        self.amounts.append(amount)

    @property
    def sum(self):
        return sum(self.amounts)


def numbers(count, seed):
    for _ in range(count):
        seed = (seed * 1103515245 + 12345) % 2147483648
        yield seed >> 8


def round_of(seed):
    accounts, refused = {}, 0
    for number in numbers(20_000, seed):
        name = f"user{number % 500:03d}"
        account = accounts.setdefault(name, Account(name))
        try:
            account.add(number % 1000)
        except ValueError:
            refused += 1
    order = sorted(accounts.values(), key=lambda account: (-account.sum, account.name))
    letters = collections.Counter("".join(account.name.upper() for account in order))
    return refused + order[0].sum + letters["7"]


print(sum(round_of(seed) for seed in range(int(sys.argv[1]))))
